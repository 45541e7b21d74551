// FolderWatch: waits for changes in a folder (inotify(7)).
//
// Thread rule: Wait is called by one thread; Stop is thread-safe.
#pragma once

#include "annex/base/result.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace annex::source {

class FolderWatch {
 public:
  // The folder need not be there: it is watched from when it is. Errors: InternalError (the system has no
  // more watches to give).
  static base::Result<std::unique_ptr<FolderWatch>> Open(std::string directory);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  enum class Outcome : std::uint8_t { kChanged, kTimeout, kStopped };
  // Waits until something in the folder changed and then nothing for a moment (100 ms, at most a second), or
  // for `timeout`.
  Outcome Wait(std::chrono::milliseconds timeout);
  // Wait returns kStopped, now and ever after.
  void Stop();

 private:
  FolderWatch(std::string directory, int events, int stop)
      : directory_(std::move(directory)), events_(events), stop_(stop) {}
  Outcome Poll(std::chrono::milliseconds timeout);
  void WatchAgain();
  void Drain();

  const std::string directory_;
  const int events_;  // inotify
  const int stop_;    // eventfd
  bool watched_ = false;
};

}  // namespace annex::source
