#include "annex/kube/webhook_client.h"

#include "annex/base/mutex.h"
#include "annex/base/thread.h"
#include "webhook_exchange.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace annex::kube {
namespace {

namespace asio = boost::asio;

// Connections to one webhook that wait for the next call, and how long they may (as Go's transport).
constexpr std::size_t kKeptConnections = 25;
constexpr std::chrono::seconds kKeptTime{90};
// A webhook that asks to come again later is asked this often (client-go, Request).
constexpr int kRetries = 10;

bool AsksForPatience(const WebhookReply& reply) {
  return reply.status == 429 || reply.status >= 500;
}

}  // namespace

std::string WebhookTarget::Url() const {
  return "https://" + authority + path + "?timeout=30s";
}

class WebhookClient::Implementation {
 public:
  using Outcome = WebhookExchange::Outcome;

  Implementation(ServiceResolver& services, Options options)
      : services_(services), options_(options), work_(context_.get_executor()) {
    thread_.emplace("webhooks", [this] { context_.run(); });
  }
  ~Implementation() { Stop(); }

  base::Task<base::Result<WebhookReply>> Post(std::shared_ptr<const WebhookTarget> target, std::string body,
                                              base::Executor& executor) {
    const auto shared_body = std::make_shared<const std::string>(std::move(body));
    WebhookLimits limits;
    limits.deadline = std::chrono::steady_clock::now() + options_.timeout;
    limits.answer_bytes = options_.max_answer_bytes;
    for (int retry = 0;; ++retry) {
      Outcome outcome = co_await Exchange(target, shared_body, limits, executor);
      const bool again = outcome.reply && AsksForPatience(*outcome.reply) && outcome.retry_after &&
                         retry < kRetries &&
                         std::chrono::steady_clock::now() + *outcome.retry_after < limits.deadline;
      if (!again) co_return std::move(outcome.reply);
      co_await base::Sleep(executor, *outcome.retry_after);
    }
  }

  void Stop() {
    {
      const base::MutexLock lock(mutex_);
      if (std::exchange(stopped_, true)) return;
    }
    asio::post(context_, [this] {
      stopping_ = true;
      // An exchange that ends takes itself off the list.
      const auto under_way = exchanges_;
      for (const auto& exchange : under_way) exchange->Cancel();
      kept_.clear();
      work_.reset();
    });
    thread_.reset();
  }

 private:
  struct Kept {
    std::unique_ptr<WebhookConnection> connection;
    std::chrono::steady_clock::time_point since;
  };

  // Where and by whose word a target is reached: what connections are kept under.
  static std::string KeyOf(const WebhookTarget& target) { return target.authority + '\0' + target.ca_bundle; }

  base::Task<Outcome> Exchange(std::shared_ptr<const WebhookTarget> target,
                               std::shared_ptr<const std::string> body, WebhookLimits limits,
                               base::Executor& executor) {
    Outcome kept = co_await base::Await<Outcome>(
        executor, [&](auto done) { OnThread(done, [=, this] { StartKept(target, body, limits, done); }); });
    if (!kept.stale) co_return kept;
    ServiceEndpoint endpoint{target->host, target->port};
    if (target->service) {
      auto resolved = co_await services_.Resolve(target->service->namespace_name, target->service->name,
                                                 target->port, executor);
      if (!resolved) {
        base::Status status = resolved.error();
        status.message = "Post \"" + target->Url() + "\": " + status.message;
        co_return Outcome{base::Error(std::move(status))};
      }
      endpoint = *std::move(resolved);
    }
    co_return co_await base::Await<Outcome>(executor, [&](auto done) {
      OnThread(done, [=, this] { StartNew(target, endpoint, body, limits, done); });
    });
  }

  // Runs `start` on the client's thread, unless there is none any more.
  template <typename Start>
  void OnThread(const WebhookExchange::Done& done, Start start) {
    {
      const base::MutexLock lock(mutex_);
      if (!stopped_) {
        asio::post(context_, std::move(start));
        return;
      }
    }
    done(Outcome{base::Error(base::Reason::kServiceUnavailable, "this server is stopping")});
  }

  // --- on the client's thread

  // Tries a kept connection; without one the outcome is stale.
  void StartKept(std::shared_ptr<const WebhookTarget> target, std::shared_ptr<const std::string> body,
                 WebhookLimits limits, WebhookExchange::Done done) {
    auto connection = TakeKept(KeyOf(*target));
    if (!connection || stopping_) {
      done(Outcome{base::Error(base::Reason::kServiceUnavailable, "no connection"), {}, {}, true});
      return;
    }
    MakeExchange(std::move(target), std::move(body), limits, std::move(done))
        ->BeginWith(std::move(connection));
  }

  void StartNew(std::shared_ptr<const WebhookTarget> target, const ServiceEndpoint& endpoint,
                std::shared_ptr<const std::string> body, WebhookLimits limits, WebhookExchange::Done done) {
    const std::string ca_bundle = target->ca_bundle;
    const auto exchange = MakeExchange(std::move(target), std::move(body), limits, std::move(done));
    auto tls = ContextFor(ca_bundle);
    if (stopping_ || !tls) {
      exchange->Cancel();
    } else {
      exchange->BeginAt(endpoint, *std::move(tls));
    }
  }

  std::shared_ptr<WebhookExchange> MakeExchange(std::shared_ptr<const WebhookTarget> target,
                                                std::shared_ptr<const std::string> body, WebhookLimits limits,
                                                WebhookExchange::Done done) {
    const std::string key = KeyOf(*target);
    auto slot = std::make_shared<std::weak_ptr<WebhookExchange>>();
    const auto finish = [this, key, slot, done = std::move(done)](Outcome outcome) {
      if (outcome.connection && !stopping_) Keep(key, std::move(outcome.connection));
      exchanges_.erase(slot->lock());
      done(std::move(outcome));
    };
    auto exchange =
        std::make_shared<WebhookExchange>(context_, std::move(target), std::move(body), limits, finish);
    *slot = exchange;
    exchanges_.insert(exchange);
    return exchange;
  }

  std::unique_ptr<WebhookConnection> TakeKept(const std::string& key) {
    DropOld();
    const auto found = kept_.find(key);
    if (found == kept_.end()) return nullptr;
    auto& connections = found->second;
    std::unique_ptr<WebhookConnection> taken = std::move(connections.back().connection);
    connections.pop_back();
    if (connections.empty()) kept_.erase(found);
    return taken->Quiet() ? std::move(taken) : nullptr;
  }

  void Keep(const std::string& key, std::unique_ptr<WebhookConnection> connection) {
    DropOld();
    auto& connections = kept_[key];
    if (connections.size() == kKeptConnections) connections.erase(connections.begin());
    connections.push_back({std::move(connection), std::chrono::steady_clock::now()});
  }

  // Also those of webhooks that nobody calls any more.
  void DropOld() {
    const auto oldest = std::chrono::steady_clock::now() - kKeptTime;
    for (auto& [key, connections] : kept_) {
      std::erase_if(connections, [oldest](const Kept& kept) { return kept.since < oldest; });
    }
    std::erase_if(kept_, [](const auto& entry) { return entry.second.empty(); });
  }

  base::Result<std::shared_ptr<asio::ssl::context>> ContextFor(const std::string& ca_bundle) {
    if (const auto known = contexts_.find(ca_bundle); known != contexts_.end()) {
      if (auto context = known->second.lock()) return context;
    }
    ANNEX_TRY(auto context, MakeTlsContext(ca_bundle));
    std::erase_if(contexts_, [](const auto& entry) { return entry.second.expired(); });
    contexts_[ca_bundle] = context;
    return context;
  }

  ServiceResolver& services_;
  const Options options_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;

  base::Mutex mutex_;
  bool stopped_ ANNEX_GUARDED_BY(mutex_) = false;  // nothing more is posted to the thread

  // Used on the thread alone.
  bool stopping_ = false;
  std::set<std::shared_ptr<WebhookExchange>> exchanges_;
  std::map<std::string, std::vector<Kept>> kept_;
  // By bundle; connections hold them.
  std::map<std::string, std::weak_ptr<asio::ssl::context>> contexts_;

  std::optional<base::Thread> thread_;  // last: it uses all of the above
};

WebhookClient::WebhookClient(ServiceResolver& services, Options options)
    : implementation_(std::make_unique<Implementation>(services, options)) {}
WebhookClient::~WebhookClient() = default;

base::Task<base::Result<WebhookReply>> WebhookClient::Post(std::shared_ptr<const WebhookTarget> target,
                                                           std::string body, base::Executor& executor) {
  return implementation_->Post(std::move(target), std::move(body), executor);
}

void WebhookClient::Stop() {
  implementation_->Stop();
}

}  // namespace annex::kube
