// ClusterSession: what a command needs to talk to a cluster: a client, a thread that tasks run on, and the
// signals that end it.
//
//   ANNEX_TRY(const auto session, ClusterSession::Open(access));
//   const auto answer = session->Run(AskSomething(session->client(), session->executor()));
//   if (!answer) …    // SIGINT
//
// Thread rule: used by the thread that opened it, which started no other before.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/result.h"
#include "annex/base/serial_thread.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"
#include "annex/kube/config.h"
#include "annex/server/cluster_access.h"
#include "end_signal.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace annex::server {

class ClusterSession {
 public:
  // Nothing is asked yet. Errors: Invalid, if the kubeconfig cannot be used.
  static base::Result<std::unique_ptr<ClusterSession>> Open(const ClusterAccess& access);
  ~ClusterSession();
  ClusterSession(const ClusterSession&) = delete;
  ClusterSession& operator=(const ClusterSession&) = delete;

  const kube::Config& config() const { return config_; }
  kube::Client& client() { return *client_; }
  base::Executor& executor() { return thread_; }
  const base::Clock& clock() const { return clock_; }

  // Runs a task to its end; nullopt if SIGINT or SIGTERM came before. Then the task goes on until the session
  // is destroyed, which is all that may still be done with it.
  template <typename T>
  std::optional<T> Run(base::Task<T> task) {
    auto promise = std::make_shared<std::promise<T>>();
    auto begun = std::make_shared<base::Task<T>>(std::move(task));
    thread_.Post([this, promise, begun] {
      tasks_.Spawn(std::move(*begun),
                   std::function<void(T)>([promise](T value) { promise->set_value(std::move(value)); }));
    });
    auto result = promise->get_future();
    while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      if (end_.Within(kLook)) return std::nullopt;
    }
    return result.get();
  }

 private:
  // How soon it is noticed that a task has ended.
  static constexpr std::chrono::milliseconds kLook{20};

  ClusterSession() = default;

  const EndSignal end_;  // first: threads inherit what it blocks
  const base::SystemClock clock_;
  kube::Config config_;
  base::SerialThread thread_{"command"};
  std::unique_ptr<kube::Client> client_;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::server
