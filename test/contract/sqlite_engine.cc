// The SQLite engine in a real folder, with a real thread.
#include "annex/base/serial_thread.h"
#include "annex/store/sqlite.h"
#include "engine.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <optional>
#include <string>

namespace annex::test {
namespace {

class SqliteEngine final : public Engine {
 public:
  base::Result<std::unique_ptr<store::Store>> Open(const Settings& settings, const base::Clock& clock,
                                                   base::Metrics& metrics,
                                                   store::CommitObserver* observer) override {
    writer_.emplace("writer");
    store::SqliteOptions options;
    options.data_directory = directory_.path() + "/data";
    options.history_age = settings.history_age;
    options.history_bytes = settings.history_bytes;
    options.max_queued_writes = settings.max_queued_writes;
    options.max_queued_bytes = settings.max_queued_bytes;
    options.revisions_beyond = settings.revisions_beyond;
    return store::OpenSqliteStore(options, clock, metrics, *writer_, observer);
  }

  void Stop() override { writer_->Stop(); }

  bool Wait(std::future<void>& done) override {
    return done.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  }

  void Pause() override {
    std::promise<void> begun;
    paused_ = std::promise<void>();
    writer_->Post([&begun, resumed = paused_.get_future().share()] {
      begun.set_value();
      resumed.wait();
    });
    begun.get_future().wait();
  }
  void Resume() override { paused_.set_value(); }

  std::uint64_t DataBytes() override {
    return std::filesystem::file_size(directory_.path() + "/data/annex.db") +
           std::filesystem::file_size(directory_.path() + "/data/annex.db-wal");
  }

 private:
  TemporaryDirectory directory_;
  std::optional<base::SerialThread> writer_;
  std::promise<void> paused_;
};

}  // namespace

std::unique_ptr<Engine> MakeEngine() {
  return std::make_unique<SqliteEngine>();
}

}  // namespace annex::test
