#include "annex/server/serve.h"

#include <pthread.h>

#include <chrono>
#include <csignal>

#include "annex/base/log.h"
#include "standalone.h"

namespace annex::server {
namespace {

// The signals that end the server are taken by this thread alone, in WaitForEnd; threads that start later inherit the mask.
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
  if (!options.standalone) {
    return base::Error(base::Reason::kInvalid, "serving behind a cluster's kube-apiserver is not built yet; run with --standalone");
  }
  ANNEX_TRY(const auto server, Standalone::Start(options));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  base::LogInfo("Ready", {{"milliseconds", static_cast<std::int64_t>(took.count())}});
  WaitForEnd(signals);
  return {};
}

}  // namespace annex::server
