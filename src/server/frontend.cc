#include "frontend.h"

#include "annex/base/log.h"
#include "private_files.h"
#include "wait_for.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace annex::server {

// What the controller of definitions may do to them.
class Frontend::DefinitionHands final : public source::ControlledObjects {
 public:
  explicit DefinitionHands(api::ApiService& api) : api_(api) {}
  base::Task<base::Result<void>> Update(std::string name, std::function<bool(json::Value&)> change,
                                        base::Executor& executor) override {
    return api_.UpdateBuiltin(api::ApiService::Builtin::kDefinition, std::move(name), std::move(change),
                              executor);
  }

 private:
  api::ApiService& api_;
};

Frontend::Frontend(const Parts& parts, store::CollectionId definitions)
    : foundation_(parts.foundation),
      webhooks_(parts.services, {}),
      api_({*foundation_.store, foundation_.hub, foundation_.registry, parts.namespaces, parts.authenticator,
            parts.authorizer, webhooks_, foundation_.health, foundation_.clock, foundation_.random,
            foundation_.metrics},
           {definitions, parts.namespace_collection, parts.serve_builtins}),
      publisher_(*foundation_.store, foundation_.hub, foundation_.registry, foundation_.control_thread),
      definition_hands_(std::make_unique<DefinitionHands>(api_)),
      definitions_({*foundation_.store, foundation_.hub, definitions, publisher_, *definition_hands_,
                    parts.objects,
                    [this](std::shared_ptr<const definition::Resource> resource, std::string namespace_name,
                           base::Executor& executor) {
                      return api_.DeleteObjects(std::move(resource), std::move(namespace_name), executor);
                    },
                    foundation_.clock, foundation_.control_thread}),
      local_(api_, foundation_.control_thread, local_tasks_) {}

base::Result<std::unique_ptr<Frontend>> Frontend::Start(const Parts& parts) {
  ANNEX_TRY(const auto definitions,
            parts.foundation.OpenCollection("apiextensions.k8s.io/customresourcedefinitions"));
  std::unique_ptr<Frontend> frontend(new Frontend(parts, definitions));
  WaitFor<bool>([&](auto done) { frontend->definitions_.Start([done] { done(true); }); });
  return frontend;
}

Frontend::~Frontend() {
  StopListening();
  foundation_.Stop();
}

base::Result<http::Identity> Frontend::LoadIdentity() const {
  const ServeOptions& options = foundation_.options;
  http::Identity identity;
  if (!options.tls_cert_file.empty()) {
    ANNEX_TRY(identity.certificate, ReadFile(options.tls_cert_file));
    ANNEX_TRY(identity.key, ReadFile(options.tls_private_key_file));
  } else {
    ANNEX_TRY(auto serving, pki_->Serving(serving_names_));
    identity = {std::move(serving.certificate), std::move(serving.key)};
  }
  return identity;
}

base::Result<void> Frontend::Listen(const Pki& pki, std::vector<std::string> names) {
  pki_ = &pki;
  serving_names_ = std::move(names);
  ANNEX_TRY(identity_, LoadIdentity());
  const ServeOptions& options = foundation_.options;
  http::ServerOptions http;
  http.address = options.listen_address;
  http.port = options.listen_port;
  http.threads = static_cast<std::size_t>(options.threads);
  http.limits.max_body_bytes = static_cast<std::size_t>(options.max_request_body_kib) << 10U;
  http.limits.max_connections = static_cast<std::size_t>(options.max_connections);
  ANNEX_TRY(http_, http::Server::Bind(http, identity_, api_, foundation_.clock, foundation_.metrics));
  return {};
}

base::Result<void> Frontend::RenewIdentity() {
  ANNEX_TRY(http::Identity identity, LoadIdentity());
  if (identity.certificate == identity_.certificate && identity.key == identity_.key) return {};
  ANNEX_RETURN_IF_ERROR(http_->SetIdentity(identity));
  identity_ = std::move(identity);
  base::LogInfo("New connections are shown a new certificate", {});
  return {};
}

void Frontend::StopListening() {
  if (http_) http_->Stop(foundation_.options.shutdown_grace);
  // What still waits for one has nobody left to answer.
  webhooks_.Stop();
}

std::string CertificateFolder(const ServeOptions& options, const Pki& pki) {
  if (options.tls_cert_file.empty()) return pki.directory();
  const std::filesystem::path folder = std::filesystem::path(options.tls_cert_file).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string LocalAddress(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  if (address == "::") return "::1";
  return address;
}

std::vector<std::string> LocalNames(const ServeOptions& options) {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  const std::string address = LocalAddress(options.listen_address);
  if (std::find(names.begin(), names.end(), address) == names.end()) names.push_back(address);
  names.insert(names.end(), options.tls_sans.begin(), options.tls_sans.end());
  return names;
}

}  // namespace annex::server
