#include "end_signal.h"

#include <ctime>

#include <pthread.h>
#include <unistd.h>

namespace annex::server {

EndSignal::EndSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

const char* EndSignal::Wait() const {
  int signal = 0;
  sigwait(&signals_, &signal);
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

bool EndSignal::Within(std::chrono::milliseconds time) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec timeout{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
  const int signal = sigtimedwait(&signals_, nullptr, &timeout);
  if (signal < 0) return false;
  // Pending again, for Wait.
  kill(getpid(), signal);
  return true;
}

}  // namespace annex::server
