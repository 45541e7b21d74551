// Writers, listers and watchers on threads of their own, over a real store: for ThreadSanitizer, and for what
// only threads do.
#include "annex/base/clock.h"
#include "annex/base/log.h"
#include "annex/base/mutex.h"
#include "annex/base/serial_thread.h"
#include "annex/store/sqlite.h"
#include "annex/store/watch_hub.h"
#include "support/temporary_directory.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::store {
namespace {

constexpr int kWriters = 3;
constexpr int kCommits = 150;  // of each writer
constexpr int kWatchers = 4;

// Threads may not use Catch's macros: they count what is wrong.
class Stress {
 public:
  Stress() : hub_({20'000, 16, 8'000}, metrics_) {
    base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
    SqliteOptions options;
    options.data_directory = directory_.path();
    options.checkpoint_frames = 200;
    auto opened = OpenSqliteStore(options, clock_, metrics_, writer_, &hub_);
    REQUIRE(opened);
    store_ = *std::move(opened);
    hub_.SetStore(*store_);
    std::promise<CollectionId> id;
    store_->OpenCollection("widgets",
                           [&](base::Result<CollectionInfo> info) { id.set_value(info ? info->id : 0); });
    collection_ = id.get_future().get();
    begin_ = store_->CurrentRevision();
  }

  ~Stress() { writer_.Stop(); }
  Stress(const Stress&) = delete;
  Stress& operator=(const Stress&) = delete;

  void Run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < kWatchers; ++i) threads.emplace_back([this, i] { Watch(i % 2 == 0 ? "" : "1/"); });
    threads.emplace_back([this] { List(); });
    threads.emplace_back([this] { ComeAndGo(); });
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) writers.emplace_back([this, i] { Write(std::to_string(i) + "/"); });
    for (std::thread& thread : writers) thread.join();
    writing_ = false;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong_ == 0);
    CHECK(lists_ > 0);
    CHECK(watched_ == kWatchers / 2 * (kWriters * kCommits + kCommits));
  }

 private:
  void Expect(bool good) { wrong_ += good ? 0 : 1; }

  // Several commits are on their way at a time; each makes one object, so a revision tells how many there
  // are.
  void Write(const std::string& prefix) {
    std::vector<std::future<bool>> answers;
    for (int i = 0; i < kCommits; ++i) {
      auto answer = std::make_shared<std::promise<bool>>();
      answers.push_back(answer->get_future());
      Mutation mutation{collection_, prefix + std::to_string(i), nullptr, Mutation::State{}};
      mutation.next->body.bytes.assign(100, 'x');
      store_->Commit(std::move(mutation), [answer](const base::Result<Committed>& result) {
        answer->set_value(result.has_value());
      });
      if (i % 8 == 7) Expect(answers[static_cast<std::size_t>(i) - 4].get());
    }
    answers.back().wait();
  }

  // Shared with the wake, which may come when the watch is over.
  struct Signal {
    base::Mutex mutex;
    base::CondVar condition;
    bool woken = false;
  };

  void Watch(const std::string& prefix) {
    const auto signal = std::make_shared<Signal>();
    const int wanted = prefix.empty() ? kWriters * kCommits : kCommits;
    int got = 0;
    Revision last = begin_;
    const auto watcher = hub_.Watch(collection_, prefix, begin_, wakes_, [this, signal] {
      const base::MutexLock lock(signal->mutex);
      Expect(!signal->woken);
      signal->woken = true;
      signal->condition.NotifyAll();
    });
    while (got < wanted) {
      const auto batch = watcher->Next();
      if (!batch) return Expect(false);
      for (const EventPtr& event : batch->events) {
        Expect(event->revision() > last && event->key().starts_with(prefix));
        last = event->revision();
        Expect(*event->Rendering(1, [] { return std::string("r"); }) == "r");
        ++got;
      }
      Expect(batch->progress >= last);
      if (!batch->idle || got == wanted) continue;
      const base::MutexLock lock(signal->mutex);
      while (!signal->woken) signal->condition.Wait(signal->mutex);
      signal->woken = false;
    }
    watched_ += got;
  }

  void List() {
    while (writing_) {
      Revision rows = 0;
      const auto page = store_->List({.collection = collection_}, [&rows](const Row&) {
        ++rows;
        return Visit::kNext;
      });
      Expect(page.has_value());
      if (page) Expect(rows == page->at - begin_);
      const auto pin = store_->Pin(store_->CurrentRevision());
      ++lists_;
    }
  }

  void ComeAndGo() {
    while (writing_) {
      const auto one = hub_.Watch(collection_, "", store_->CurrentRevision(), wakes_, [] {});
      const auto two = hub_.Watch(collection_, "2/", begin_, wakes_, [] {});
      Expect(one->Next().has_value());
      Expect(two->Next().has_value());
    }
  }

  const test::TemporaryDirectory directory_;
  base::SystemClock clock_;
  base::Metrics metrics_;
  WatchHub hub_;
  base::SerialThread writer_{"writer"};
  base::SerialThread wakes_{"wakes"};
  std::unique_ptr<Store> store_;
  CollectionId collection_ = 0;
  Revision begin_ = 0;
  std::atomic<bool> writing_{true};
  std::atomic<int> wrong_{0};
  std::atomic<int> lists_{0};
  std::atomic<int> watched_{0};
};

}  // namespace

TEST_CASE("threads that write, list and watch at once see one order", "[store][threads]") {
  Stress().Run();
}

}  // namespace annex::store
