#include "annex/source/folder_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace annex::source {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                  IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// Editors and kubelet write in several steps: a change is over when nothing happens for this long.
constexpr std::chrono::milliseconds kQuiet{100};
constexpr int kQuietRounds = 10;

auto Failed(const char* what) {
  return base::Error(base::Reason::kInternalError,
                     std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace

base::Result<std::unique_ptr<FolderWatch>> FolderWatch::Open(std::string directory) {
  const int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (events < 0) return Failed("inotify_init1");
  const int stop = eventfd(0, EFD_CLOEXEC);
  if (stop < 0) {
    close(events);
    return Failed("eventfd");
  }
  std::unique_ptr<FolderWatch> watch(new FolderWatch(std::move(directory), events, stop));
  watch->WatchAgain();
  return watch;
}

FolderWatch::~FolderWatch() {
  close(events_);
  close(stop_);
}

void FolderWatch::Stop() {
  eventfd_write(stop_, 1);
}

void FolderWatch::WatchAgain() {
  watched_ = inotify_add_watch(events_, directory_.c_str(), kEvents) >= 0;
}

void FolderWatch::Drain() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  for (ssize_t size = 0; (size = read(events_, buffer.data(), buffer.size())) > 0;) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      // The folder itself went away; another may take its place.
      if ((event->mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)) != 0) watched_ = false;
      at += sizeof(inotify_event) + event->len;
    }
  }
}

FolderWatch::Outcome FolderWatch::Poll(std::chrono::milliseconds timeout) {
  std::array<pollfd, 2> files{{{stop_, POLLIN, 0}, {events_, POLLIN, 0}}};
  const int ready = poll(files.data(), files.size(), static_cast<int>(timeout.count()));
  if ((files[0].revents & POLLIN) != 0) return Outcome::kStopped;
  if (ready <= 0 || (files[1].revents & POLLIN) == 0) return Outcome::kTimeout;
  Drain();
  return Outcome::kChanged;
}

FolderWatch::Outcome FolderWatch::Wait(std::chrono::milliseconds timeout) {
  // A folder that is not there makes no events: whether it has come is found out by looking.
  constexpr std::chrono::milliseconds kLook{1000};
  const bool was_watched = watched_;
  if (!watched_) WatchAgain();
  if (!was_watched && watched_) return Outcome::kChanged;
  Outcome outcome = Poll(watched_ ? timeout : std::min(timeout, kLook));
  if (outcome != Outcome::kChanged) return outcome;
  for (int round = 0; round < kQuietRounds && outcome == Outcome::kChanged; ++round) outcome = Poll(kQuiet);
  return outcome == Outcome::kStopped ? outcome : Outcome::kChanged;
}

}  // namespace annex::source
