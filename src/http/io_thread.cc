#include "io_thread.h"

#include <array>
#include <ctime>
#include <utility>
#include <vector>

namespace annex::http {
namespace {

constexpr std::chrono::seconds kSweepInterval{1};
// What one read of a socket takes at most, and with it what comes of it: that, and one record of TLS that had
// begun before.
constexpr std::size_t kInputBytes = 64UL * 1024;
constexpr std::size_t kPlaintextBytes = kInputBytes + 17UL * 1024;
// Buffers for writing that are kept: a few connections write at a time, and one that grew for a large answer
// is not kept.
constexpr std::size_t kKeptBuffers = 8;
constexpr std::size_t kKeptBufferBytes = 512UL * 1024;

class AsioTimer final : public base::Executor::Timer {
 public:
  AsioTimer(asio::io_context& context, std::chrono::nanoseconds delay, std::function<void()> task)
      : timer_(context, std::chrono::duration_cast<asio::steady_timer::duration>(delay)),
        task_(std::make_shared<Task>()) {
    task_->run = std::move(task);
    timer_.async_wait([task = task_](const ErrorCode&) {
      // A timer that was destroyed took its task away, even if its handler was queued already.
      if (const auto run = std::exchange(task->run, nullptr)) run();
    });
  }
  ~AsioTimer() override { task_->run = nullptr; }
  AsioTimer(const AsioTimer&) = delete;
  AsioTimer& operator=(const AsioTimer&) = delete;

 private:
  struct Task {
    std::function<void()> run;
  };
  asio::steady_timer timer_;
  const std::shared_ptr<Task> task_;
};

}  // namespace

IoThread::IoThread(const std::string& name, const base::Clock& clock)
    : clock_(clock),
      work_(context_.get_executor()),
      sweep_timer_(context_),
      input_(kInputBytes),
      plaintext_(kPlaintextBytes) {
  asio::post(context_, [this] { Sweep(); });
  thread_.emplace(name, [this] { context_.run(); });
}

IoThread::~IoThread() {
  Stop();
}

void IoThread::Stop() {
  context_.stop();
  thread_.reset();
}

// The first task of a turn rings for all that follow until the thread comes to them: an event wakes many
// watches at once.
void IoThread::Post(std::function<void()> task) {
  {
    const base::MutexLock lock(mutex_);
    posted_.push_back(std::move(task));
    if (posted_.size() > 1) return;
  }
  asio::post(context_, [this] { RunPosted(); });
}

void IoThread::RunPosted() {
  std::vector<std::function<void()>> tasks;
  {
    const base::MutexLock lock(mutex_);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
}

std::unique_ptr<base::Executor::Timer> IoThread::After(std::chrono::nanoseconds delay,
                                                       std::function<void()> task) {
  return std::make_unique<AsioTimer>(context_, delay, std::move(task));
}

void IoThread::Add(Timed& connection) {
  connections_.insert(&connection);
  connection_count_ = connections_.size();
}

void IoThread::Remove(Timed& connection) {
  connections_.erase(&connection);
  connection_count_ = connections_.size();
}

void IoThread::DrainAll() {
  const std::vector<Timed*> all(connections_.begin(), connections_.end());
  for (Timed* connection : all) connection->Drain();
}

void IoThread::CloseAll() {
  const std::vector<Timed*> all(connections_.begin(), connections_.end());
  for (Timed* connection : all) connection->Close();
}

void IoThread::Sweep() {
  const auto now = clock_.Monotonic();
  std::vector<Timed*> late;
  for (Timed* connection : connections_) {
    if (connection->deadline() <= now) late.push_back(connection);
  }
  for (Timed* connection : late) connection->OnDeadline();
  sweep_timer_.expires_after(kSweepInterval);
  sweep_timer_.async_wait([this](const ErrorCode& error) {
    if (!error) Sweep();
  });
}

std::string IoThread::TakeBuffer() {
  if (buffers_.empty()) return {};
  std::string buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void IoThread::ReturnBuffer(std::string buffer) {
  if (buffers_.size() >= kKeptBuffers || buffer.capacity() > kKeptBufferBytes ||
      buffer.capacity() <= std::string().capacity())
    return;
  buffer.clear();
  buffers_.push_back(std::move(buffer));
}

const std::string& IoThread::HttpDate() {
  const std::time_t now = std::chrono::system_clock::to_time_t(clock_.Now());
  if (now != date_second_) {
    std::tm fields{};
    gmtime_r(&now, &fields);
    std::array<char, 40> text{};
    const auto length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &fields);
    date_.assign(text.data(), length);
    date_second_ = now;
  }
  return date_;
}

}  // namespace annex::http
