#include "annex/http/server.h"

#include "annex/base/log.h"
#include "annex/base/mutex.h"
#include "connection.h"
#include "io_thread.h"
#include "tls_context.h"

#include <atomic>
#include <thread>
#include <utility>

namespace annex::http {
namespace {

// Out of file descriptors: the connections that are there go on, new ones wait.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::milliseconds kStopPoll{10};

base::Result<Tcp::endpoint> ParseEndpoint(const ServerOptions& options) {
  ErrorCode error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return base::Error(base::Reason::kInternalError, "the address to listen on is no IP address: " +
                                                         options.address + " (give --listen ADDRESS:PORT)");
  }
  return Tcp::endpoint(address, options.port);
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(const ServerOptions& options, api::Service& service, const base::Clock& clock,
                 base::Metrics& metrics)
      : options_(options),
        host_{service, options_.limits},
        connections_(metrics.Gauges("annex_http_connections", "Open connections.", {}).With({})),
        refused_(metrics
                     .Counters("annex_http_connections_refused_total",
                               "Connections closed because there were too many.", {})
                     .With({})) {
    std::size_t threads = options.threads;
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < threads; ++i)
      threads_.push_back(std::make_unique<IoThread>("io-" + std::to_string(i), clock));
  }
  ~Implementation() {
    for (const auto& thread : threads_) thread->Stop();
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  base::Result<void> Listen(const Identity& identity) {
    ANNEX_RETURN_IF_ERROR(SetIdentity(identity));
    ANNEX_TRY(const Tcp::endpoint endpoint, ParseEndpoint(options_));
    ErrorCode error;
    acceptor_.emplace(threads_[0]->context());
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return base::Error(base::Reason::kInternalError, "cannot listen on " + options_.address + ":" +
                                                           std::to_string(options_.port) + ": " +
                                                           error.message());
    }
    port_ = acceptor_->local_endpoint().port();
    accept_pause_.emplace(threads_[0]->context());
    return {};
  }

  void Serve() {
    threads_[0]->Post([this] { Accept(); });
  }

  base::Result<void> SetIdentity(const Identity& identity) {
    ANNEX_TRY(auto context, MakeTlsContext(identity));
    const base::MutexLock lock(mutex_);
    tls_ = std::move(context);
    return {};
  }

  void Stop(std::chrono::seconds grace) {
    threads_[0]->Post([this] {
      ErrorCode ignored;
      acceptor_->close(ignored);
    });
    for (const auto& thread : threads_) thread->Post([&thread = *thread] { thread.DrainAll(); });
    const auto until = std::chrono::steady_clock::now() + grace;
    while (Connections() > 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(kStopPoll);
    for (const auto& thread : threads_) thread->Post([&thread = *thread] { thread.CloseAll(); });
    const auto closed = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (Connections() > 0 && std::chrono::steady_clock::now() < closed)
      std::this_thread::sleep_for(kStopPoll);
  }

  std::uint16_t port() const { return port_; }
  base::Executor& executor() { return *threads_[0]; }

 private:
  std::size_t Connections() const {
    std::size_t count = 0;
    for (const auto& thread : threads_) count += thread->connections();
    return count;
  }

  void Accept() {
    IoThread& thread = *threads_[next_thread_++ % threads_.size()];
    acceptor_->async_accept(thread.context(), [this, &thread](const ErrorCode& error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        base::LogWarning("Accepting a connection failed", {{"error", error.message()}});
        accept_pause_->expires_after(kAcceptPause);
        accept_pause_->async_wait([this](const ErrorCode& stopped) {
          if (!stopped) Accept();
        });
        return;
      }
      const std::size_t open = Connections();
      connections_.Set(static_cast<double>(open));
      if (open >= options_.limits.max_connections) {
        refused_.Increment();
      } else {
        Begin(thread, std::move(socket));
      }
      Accept();
    });
  }

  void Begin(IoThread& thread, Tcp::socket socket) {
    std::shared_ptr<asio::ssl::context> tls;
    {
      const base::MutexLock lock(mutex_);
      tls = tls_;
    }
    auto shared = std::make_shared<Tcp::socket>(std::move(socket));
    thread.Post([this, &thread, shared, tls] {
      std::make_shared<Connection>(thread, host_, tls, std::move(*shared))->Run();
    });
  }

  const ServerOptions options_;
  const SessionHost host_;
  base::Gauge& connections_;
  base::Counter& refused_;
  base::Mutex mutex_;
  std::shared_ptr<asio::ssl::context> tls_ ANNEX_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<IoThread>> threads_;
  // Used on the first thread.
  std::optional<Tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> accept_pause_;
  std::size_t next_thread_ = 0;
  std::uint16_t port_ = 0;
};

Server::Server(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Server::~Server() = default;

base::Result<std::unique_ptr<Server>> Server::Bind(const ServerOptions& options, const Identity& identity,
                                                   api::Service& service, const base::Clock& clock,
                                                   base::Metrics& metrics) {
  auto implementation = std::make_unique<Implementation>(options, service, clock, metrics);
  ANNEX_RETURN_IF_ERROR(implementation->Listen(identity));
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

void Server::Serve() {
  implementation_->Serve();
}

std::uint16_t Server::port() const {
  return implementation_->port();
}
base::Result<void> Server::SetIdentity(const Identity& identity) {
  return implementation_->SetIdentity(identity);
}
void Server::Stop(std::chrono::seconds grace) {
  implementation_->Stop(grace);
}
base::Executor& Server::executor() {
  return implementation_->executor();
}

}  // namespace annex::http
