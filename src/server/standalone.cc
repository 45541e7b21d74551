#include "standalone.h"

#include "annex/base/log.h"
#include "kubeconfig_file.h"
#include "private_files.h"
#include "wait_for.h"

#include <utility>

namespace annex::server {

// What the controller of namespaces may do to them.
class Standalone::NamespaceHands final : public source::ControlledObjects {
 public:
  explicit NamespaceHands(api::ApiService& api) : api_(api) {}
  base::Task<base::Result<void>> Update(std::string name, std::function<bool(json::Value&)> change,
                                        base::Executor& executor) override {
    return api_.UpdateBuiltin(api::ApiService::Builtin::kNamespace, std::move(name), std::move(change),
                              executor);
  }

 private:
  api::ApiService& api_;
};

Standalone::Standalone(std::unique_ptr<Foundation> foundation)
    : foundation_(std::move(foundation)), authenticator_(foundation_->clock, nullptr) {}

base::Result<std::unique_ptr<Standalone>> Standalone::Start(const ServeOptions& options) {
  ANNEX_TRY(auto foundation, Foundation::Open(options));
  std::unique_ptr<Standalone> server(new Standalone(std::move(foundation)));
  ANNEX_RETURN_IF_ERROR(server->SetUpIdentity());
  ANNEX_RETURN_IF_ERROR(server->StartFrontend());
  ANNEX_RETURN_IF_ERROR(server->MakeDefaultNamespace());
  if (!options.definitions_dir.empty()) {
    ANNEX_TRY(server->folder_, DefinitionFolder::Start({options.definitions_dir}, server->frontend_->local(),
                                                       server->foundation_->metrics));
  }
  ANNEX_RETURN_IF_ERROR(server->frontend_->Listen(*server->pki_, LocalNames(options)));
  // Whoever gets an answer finds the kubeconfig.
  ANNEX_RETURN_IF_ERROR(server->WriteKubeconfig());
  ANNEX_RETURN_IF_ERROR(server->StartRenewal());
  server->frontend_->Serve();
  return server;
}

Standalone::~Standalone() {
  renewal_.reset();
  if (frontend_) frontend_->StopListening();
  folder_.reset();
  foundation_->Stop();
}

base::Result<void> Standalone::SetUpIdentity() {
  ANNEX_TRY(pki_, Pki::Open(foundation_->options.data_dir, foundation_->clock));
  auto config = std::make_shared<auth::AuthenticationConfig>();
  ANNEX_TRY(config->client_authorities, auth::TrustBundle::Parse(pki_->authority()));
  authenticator_.SetConfig(std::move(config));
  return {};
}

base::Result<void> Standalone::StartFrontend() {
  ANNEX_TRY(const auto collection, foundation_->OpenCollection("/namespaces"));
  namespaces_.emplace(source::StandaloneNamespaces::Parts{
      *foundation_->store, foundation_->hub, collection, foundation_->registry, foundation_->control_thread});
  Frontend::Parts parts{*foundation_, *namespaces_, authenticator_, authorizer_, services_, collection};
  parts.serve_builtins = true;
  parts.objects = source::DefinitionController::Objects::kDelete;
  ANNEX_TRY(frontend_, Frontend::Start(parts));
  namespace_hands_ = std::make_unique<NamespaceHands>(frontend_->api());
  const source::DeleteObjects delete_objects = [this](std::shared_ptr<const definition::Resource> resource,
                                                      std::string namespace_name, base::Executor& executor) {
    return frontend_->api().DeleteObjects(std::move(resource), std::move(namespace_name), executor);
  };
  WaitFor<bool>(
      [&](auto done) { namespaces_->Start(*namespace_hands_, delete_objects, [done] { done(true); }); });
  return {};
}

base::Result<void> Standalone::MakeDefaultNamespace() {
  const json::Value body = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}};
  ANNEX_TRY(const auto answer, frontend_->local().Call("POST", "/api/v1/namespaces", body));
  if (answer.status == 201 || answer.status == 409) return {};
  return base::Error(base::Reason::kInternalError,
                     "making the namespace default failed: " + json::TextAt(answer.body, {"message"}));
}

base::Result<void> Standalone::WriteKubeconfig() {
  ANNEX_TRY(const auto admin, pki_->Admin());
  std::string address = LocalAddress(foundation_->options.listen_address);
  if (address.find(':') != std::string::npos) address = "[" + address + "]";
  const std::string url = "https://" + address + ":" + std::to_string(frontend_->port());
  const std::string path = foundation_->options.data_dir + "/admin.kubeconfig";
  // Clients verify the server by the certificate that it shows: its own authority's, or that which the
  // operator gave.
  std::string authority = pki_->authority();
  if (!foundation_->options.tls_cert_file.empty()) {
    ANNEX_TRY(authority, ReadFile(foundation_->options.tls_cert_file));
  }
  std::string text = MakeKubeconfig(url, authority, admin);
  if (text == kubeconfig_) return {};
  ANNEX_RETURN_IF_ERROR(WritePrivateFile(path, text));
  kubeconfig_ = std::move(text);
  base::LogInfo("Serving securely", {{"url", url}, {"kubeconfig", path}});
  return {};
}

base::Result<void> Standalone::StartRenewal() {
  const std::string folder = CertificateFolder(foundation_->options, *pki_);
  ANNEX_TRY(renewal_, CertificateRenewal::Start(folder, [this]() -> base::Result<void> {
              ANNEX_RETURN_IF_ERROR(frontend_->RenewIdentity());
              return WriteKubeconfig();
            }));
  return {};
}

}  // namespace annex::server
