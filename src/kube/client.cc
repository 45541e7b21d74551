#include "annex/kube/client.h"

#include "annex/base/mutex.h"
#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

namespace annex::kube {
namespace {

namespace web_client = web::http::client;

constexpr std::chrono::seconds kCallTimeout{10};
// Without a sign of life from the server a watch counts as broken. Longer than any watch that a Reflector
// asks for.
constexpr std::chrono::seconds kWatchTimeout{330};
// A token file is read again at this age: kubelet renews it long before it ends.
constexpr std::chrono::seconds kTokenAge{60};
// Threads that wait for kube-apiserver; they only pass bytes on. The library would start 40.
constexpr std::size_t kThreads = 2;

void SetUpThreads() {
  static std::once_flag once;
  std::call_once(once, [] { crossplat::threadpool::initialize_with_threads(kThreads); });
}

base::Status Unavailable(const std::string& message) {
  return {base::Reason::kServiceUnavailable, "kube-apiserver: " + message};
}

base::Status StatusOf(const Answer& answer) {
  base::Reason reason = base::Reason::kServiceUnavailable;
  switch (answer.status) {
    case 401:
      reason = base::Reason::kUnauthorized;
      break;
    case 403:
      reason = base::Reason::kForbidden;
      break;
    case 404:
      reason = base::Reason::kNotFound;
      break;
    case 410:
      reason = base::Reason::kExpired;
      break;
    default:
      break;
  }
  return {reason, "kube-apiserver answered " + std::to_string(answer.status) + ": " + answer.Message()};
}

base::Result<Answer> ParseAnswer(const TextAnswer& text) {
  auto body = json::Parse(text.text);
  if (body) return Answer{text.status, *std::move(body)};
  return base::Error(
      Unavailable("an answer that is no JSON (HTTP status " + std::to_string(text.status) + ")"));
}

boost::asio::const_buffer Buffer(const std::string& text) {
  return boost::asio::buffer(text);
}

// Only the authority that the configuration names is trusted; the library would add the system's.
void SetUpTls(const Config& config, boost::asio::ssl::context& context) {
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  if (!config.certificate_authority.empty()) {
    SSL_CTX_set_cert_store(context.native_handle(), X509_STORE_new());
    context.add_certificate_authority(Buffer(config.certificate_authority));
  }
  if (!config.client_certificate.empty()) {
    context.use_certificate_chain(Buffer(config.client_certificate));
    context.use_private_key(Buffer(config.client_key), boost::asio::ssl::context::pem);
  }
}

web_client::http_client_config LibraryConfig(const Config& config, std::chrono::seconds timeout) {
  web_client::http_client_config library;
  library.set_timeout(timeout);
  library.set_max_redirects(0);
  library.set_validate_certificates(!config.insecure_skip_tls_verify);
  library.set_ssl_context_callback(
      [config](boost::asio::ssl::context& context) { SetUpTls(config, context); });
  return library;
}

// The text of what a library threw; their messages are about connections and TLS.
std::string TextOf(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace

std::string Answer::Message() const {
  const std::string& message = json::TextAt(body, {"message"});
  return message.empty() ? "HTTP status " + std::to_string(status) : message;
}

std::string EscapeQuery(const std::string& value) {
  return web::uri::encode_data_string(value);
}

class Client::Implementation {
 public:
  explicit Implementation(Config config)
      : config_(std::move(config)),
        calls_(config_.server, LibraryConfig(config_, kCallTimeout)),
        watches_(config_.server, LibraryConfig(config_, kWatchTimeout)) {}

  base::Task<base::Result<TextAnswer>> Fetch(Call call, base::Executor& executor) {
    ANNEX_CO_TRY(const auto request, Request(call));
    ANNEX_CO_TRY(auto response, co_await Headers(calls_, request, executor));
    co_return co_await Text(std::move(response), executor);
  }

  base::Task<base::Result<Answer>> Send(Call call, base::Executor& executor) {
    ANNEX_CO_TRY(const TextAnswer text, co_await Fetch(std::move(call), executor));
    co_return ParseAnswer(text);
  }

  base::Task<base::Result<void>> Watch(Call call, OnEvent on_event, base::Executor& executor) {
    ANNEX_CO_TRY(const auto request, Request(call));
    ANNEX_CO_TRY(auto response, co_await Headers(watches_, request, executor));
    if (response.status_code() != web::http::status_codes::OK) {
      ANNEX_CO_TRY(const TextAnswer text, co_await Text(std::move(response), executor));
      ANNEX_CO_TRY(const Answer answer, ParseAnswer(text));
      co_return base::Error(StatusOf(answer));
    }
    const auto stream = response.body();
    while (true) {
      const concurrency::streams::container_buffer<std::string> line;
      ANNEX_CO_TRY(const std::size_t length,
                   co_await Wait<std::size_t>([&] { return stream.read_line(line); }, executor));
      if (length == 0) {
        if (stream.is_eof()) co_return base::Result<void>();
        continue;
      }
      auto event = json::Parse(line.collection());
      if (!event) co_return base::Error(Unavailable("an event that is no JSON: " + event.error().message));
      ANNEX_CO_RETURN_IF_ERROR(co_await on_event(*std::move(event)));
    }
  }

  void Stop() {
    cancellation_.cancel();
    base::MutexLock lock(mutex_);
    stopped_ = true;
    while (under_way_ > 0) idle_.Wait(mutex_);
  }

 private:
  base::Result<web::http::http_request> Request(const Call& call) {
    try {
      web::http::http_request request(call.method);
      request.set_request_uri(web::uri(call.target));
      request.headers().add("Accept", call.accept);
      request.headers().add("User-Agent", "annex/" ANNEX_VERSION);
      ANNEX_TRY(const std::string token, Token());
      if (!token.empty()) request.headers().add("Authorization", "Bearer " + token);
      if (!call.body.is_null()) request.set_body(json::ToJson(call.body), call.content_type);
      return request;
    } catch (const std::exception& error) {
      return base::Error(base::Reason::kInternalError, "request to " + call.target + ": " + error.what());
    }
  }

  base::Result<std::string> Token() {
    if (config_.token_file.empty()) return config_.token;
    base::MutexLock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!token_read_ || now - *token_read_ > kTokenAge) {
      ANNEX_TRY(const std::string content, ReadConfigFile(config_.token_file));
      token_ = base::TrimSpace(content);
      token_read_ = now;
    }
    return token_;
  }

  base::Task<base::Result<web::http::http_response>> Headers(web_client::http_client& client,
                                                             const web::http::http_request& request,
                                                             base::Executor& executor) {
    return Wait<web::http::http_response>(
        [this, &client, request] { return client.request(request, cancellation_.get_token()); }, executor);
  }

  base::Task<base::Result<TextAnswer>> Text(web::http::http_response response, base::Executor& executor) {
    ANNEX_CO_TRY(const auto bytes, co_await Wait<std::vector<unsigned char>>(
                                       [&] { return response.extract_vector(); }, executor));
    co_return TextAnswer{response.status_code(), std::string(bytes.begin(), bytes.end())};
  }

  // Starts an operation of the library and waits for it on `executor`.
  template <typename T, typename Begin>
  base::Task<base::Result<T>> Wait(Begin begin, base::Executor& executor) {
    {
      base::MutexLock lock(mutex_);
      if (stopped_) co_return base::Error(Unavailable("this client was stopped"));
      ++under_way_;
    }
    co_return co_await base::Await<base::Result<T>>(executor, [this, &begin](auto done) {
      const auto finish = [this, done](const pplx::task<T>& finished) {
        try {
          done(finished.get());
        } catch (...) {
          done(base::Error(Unavailable(TextOf(std::current_exception()))));
        }
        base::MutexLock lock(mutex_);
        if (--under_way_ == 0) idle_.NotifyAll();
      };
      try {
        begin().then(finish);
      } catch (...) {
        finish(pplx::task_from_exception<T>(std::current_exception()));
      }
    });
  }

  const Config config_;
  web_client::http_client calls_;
  web_client::http_client watches_;
  pplx::cancellation_token_source cancellation_;

  base::Mutex mutex_;
  base::CondVar idle_;
  bool stopped_ ANNEX_GUARDED_BY(mutex_) = false;
  int under_way_ ANNEX_GUARDED_BY(mutex_) = 0;  // operations whose library callback did not return yet
  std::string token_ ANNEX_GUARDED_BY(mutex_);
  std::optional<std::chrono::steady_clock::time_point> token_read_ ANNEX_GUARDED_BY(mutex_);
};

Client::Client(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Client::~Client() {
  Stop();
}

base::Result<std::unique_ptr<Client>> Client::Make(Config config) {
  SetUpThreads();
  try {
    // The library would find out at the first call only.
    boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
    SetUpTls(config, context);
    return std::unique_ptr<Client>(new Client(std::make_unique<Implementation>(std::move(config))));
  } catch (const std::exception& error) {
    return base::Error(
        base::Reason::kInvalid,
        std::string("the kubeconfig's server or certificates cannot be used: ") + error.what());
  }
}

base::Task<base::Result<Answer>> Client::Send(Call call, base::Executor& executor) {
  return implementation_->Send(std::move(call), executor);
}

base::Task<base::Result<void>> Client::Watch(Call call, OnEvent on_event, base::Executor& executor) {
  return implementation_->Watch(std::move(call), std::move(on_event), executor);
}

base::Task<base::Result<TextAnswer>> Client::Fetch(Call call, base::Executor& executor) {
  return implementation_->Fetch(std::move(call), executor);
}

void Client::Stop() {
  implementation_->Stop();
}

}  // namespace annex::kube
