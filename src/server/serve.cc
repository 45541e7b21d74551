#include "annex/server/serve.h"

#include "annex/base/log.h"
#include "cluster.h"
#include "standalone.h"

#include <chrono>
#include <csignal>
#include <memory>

#include <pthread.h>
#include <sys/stat.h>

namespace annex::server {
namespace {

// The signals that end the server are taken by this thread alone, in WaitForEnd; threads that start later
// inherit the mask.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A connection that the client closed is an error of write, not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

void WaitForEnd(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  base::LogInfo("Stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
}

}  // namespace

base::Result<void> Serve(ServeOptions options) {
  const auto begin = std::chrono::steady_clock::now();
  ANNEX_RETURN_IF_ERROR(Complete(options));
  ANNEX_RETURN_IF_ERROR(Validate(options));
  base::SetUpLogging(options.log_format, options.log_level);
  const sigset_t signals = BlockSignals();
  // The database holds what only its owner may read, and so may whatever else is made here.
  umask(077);
  std::unique_ptr<Standalone> standalone;
  std::unique_ptr<Cluster> cluster;
  if (options.standalone) {
    ANNEX_TRY(standalone, Standalone::Start(options));
  } else {
    ANNEX_TRY(cluster, Cluster::Start(options));
  }
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  base::LogInfo("Started", {{"milliseconds", static_cast<std::int64_t>(took.count())}});
  WaitForEnd(signals);
  return {};
}

}  // namespace annex::server
