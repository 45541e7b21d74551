// EndSignal: SIGINT and SIGTERM, by which a server is asked to end. They are taken by whoever waits here, and
// by nobody else.
//
// Thread rule: made before other threads start, which inherit what it blocks; then used by one thread.
#pragma once

#include <chrono>
#include <csignal>

namespace annex::server {

class EndSignal {
 public:
  // Blocks both for this process. SIGPIPE is ignored: a connection that the client closed is an error of
  // write.
  EndSignal();

  // Waits for one, and returns its name.
  const char* Wait() const;
  // True if one came within `time`; Wait then returns too.
  bool Within(std::chrono::milliseconds time) const;

 private:
  sigset_t signals_{};
};

}  // namespace annex::server
