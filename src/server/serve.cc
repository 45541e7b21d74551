#include "annex/server/serve.h"

#include "annex/base/log.h"
#include "cluster.h"
#include "end_signal.h"
#include "standalone.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <sys/stat.h>

namespace annex::server {
namespace {

// How soon it is noticed that the data directory is free.
constexpr std::chrono::milliseconds kDirectoryLook{20};

// While another process is in the data directory: waits, as long as the options say and nobody ends this one.
std::function<bool()> WaitForDirectory(const ServeOptions& options, const EndSignal& end) {
  const auto begin = std::chrono::steady_clock::now();
  return
      [&end, begin, told = false, patience = options.data_dir_wait, directory = options.data_dir]() mutable {
        if (std::chrono::steady_clock::now() - begin >= patience) return false;
        if (!std::exchange(told, true))
          base::LogInfo("Waiting until another process has left the data directory", {{"folder", directory}});
        return !end.Within(kDirectoryLook);
      };
}

// What was started; one of the two.
struct Server {
  std::unique_ptr<Standalone> standalone;
  std::unique_ptr<Cluster> cluster;
};

base::Result<Server> Start(const ServeOptions& options) {
  Server server;
  if (options.standalone) {
    ANNEX_TRY(server.standalone, Standalone::Start(options));
  } else {
    ANNEX_TRY(server.cluster, Cluster::Start(options));
  }
  return server;
}

}  // namespace

base::Result<void> Serve(ServeOptions options) {
  const auto begin = std::chrono::steady_clock::now();
  ANNEX_RETURN_IF_ERROR(Complete(options));
  ANNEX_RETURN_IF_ERROR(Validate(options));
  base::SetUpLogging(options.log_format, options.log_level);
  const EndSignal end;
  options.data_dir_in_use = WaitForDirectory(options, end);
  // The database holds what only its owner may read, and so may whatever else is made here.
  umask(077);
  const auto server = Start(options);
  // A start that was broken off because it shall end is none that failed.
  if (!server && !end.Within(std::chrono::milliseconds(0))) return base::Error(server.error());
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (server) base::LogInfo("Started", {{"milliseconds", static_cast<std::int64_t>(took.count())}});
  base::LogInfo("Stopping", {{"signal", end.Wait()}});
  return {};
}

}  // namespace annex::server
