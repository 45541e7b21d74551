#include "standalone.h"

#include <future>
#include <utility>

#include "annex/base/log.h"
#include "annex/source/definition_files.h"
#include "kubeconfig_file.h"
#include "private_files.h"

namespace annex::server {
namespace {

// Runs an operation that calls back on another thread, and waits for it.
template <typename T, typename Start>
T WaitFor(Start start) {
  std::promise<T> promise;
  start([&promise](T value) { promise.set_value(std::move(value)); });
  return promise.get_future().get();
}

store::SqliteOptions StoreOptions(const ServeOptions& options) {
  store::SqliteOptions store;
  store.data_directory = options.data_dir;
  store.history_age = options.history_age;
  store.history_bytes = options.history_mib << 20;
  return store;
}

// Where a client on this machine finds a server that listens on all addresses.
std::string LocalAddress(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  if (address == "::") return "::1";
  return address;
}

std::vector<std::string> ServingNames(const ServeOptions& options) {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  const std::string address = LocalAddress(options.listen_address);
  if (std::find(names.begin(), names.end(), address) == names.end()) names.push_back(address);
  names.insert(names.end(), options.tls_sans.begin(), options.tls_sans.end());
  return names;
}

}  // namespace

// What a controller may do to the objects of one built-in type.
class Standalone::Hands final : public source::ControlledObjects {
 public:
  Hands(api::ApiService& api, api::ApiService::Builtin type) : api_(api), type_(type) {}
  base::Task<base::Result<void>> Update(std::string name, std::function<bool(json::Value&)> change,
                                        base::Executor& executor) override {
    return api_.UpdateBuiltin(type_, std::move(name), std::move(change), executor);
  }

 private:
  api::ApiService& api_;
  const api::ApiService::Builtin type_;
};

Standalone::Standalone(const ServeOptions& options) : options_(options), hub_({}, metrics_), authenticator_(clock_, nullptr) {}

base::Result<std::unique_ptr<Standalone>> Standalone::Start(const ServeOptions& options) {
  std::unique_ptr<Standalone> server(new Standalone(options));
  ANNEX_RETURN_IF_ERROR(server->OpenStore());
  ANNEX_RETURN_IF_ERROR(server->SetUpIdentity());
  ANNEX_RETURN_IF_ERROR(server->StartControllers());
  ANNEX_RETURN_IF_ERROR(server->MakeDefaultNamespace());
  if (!options.definitions_dir.empty()) ANNEX_RETURN_IF_ERROR(server->ApplyDefinitionFiles());
  ANNEX_RETURN_IF_ERROR(server->StartHttp());
  ANNEX_RETURN_IF_ERROR(server->WriteKubeconfig());
  return server;
}

Standalone::~Standalone() {
  if (http_) http_->Stop(options_.shutdown_grace);
  http_.reset();
  control_thread_.Stop();
  store_thread_.Stop();
}

base::Result<void> Standalone::OpenStore() {
  ANNEX_TRY(store_, store::OpenSqliteStore(StoreOptions(options_), clock_, metrics_, store_thread_, &hub_));
  hub_.SetStore(*store_);
  const auto open = [this](const char* name) {
    return WaitFor<base::Result<store::CollectionInfo>>(
        [&](auto done) { store_->OpenCollection(name, std::move(done)); });
  };
  ANNEX_TRY(const auto definitions, open("apiextensions.k8s.io/customresourcedefinitions"));
  ANNEX_TRY(const auto namespaces, open("/namespaces"));
  collections_ = {definitions.id, namespaces.id};
  health_.Add({"ping", [] { return base::Result<void>(); }, true});
  health_.Add({"store", [this] { return store_->Healthy(); }, true});
  return {};
}

base::Result<void> Standalone::SetUpIdentity() {
  ANNEX_TRY(pki_, Pki::Open(options_.data_dir, clock_));
  ANNEX_TRY(admin_, pki_->Admin());
  auto config = std::make_shared<auth::AuthenticationConfig>();
  ANNEX_TRY(config->client_authorities, auth::TrustBundle::Parse(pki_->authority()));
  authenticator_.SetConfig(std::move(config));
  return {};
}

base::Result<void> Standalone::StartControllers() {
  namespaces_.emplace(source::StandaloneNamespaces::Parts{*store_, hub_, collections_.namespaces, registry_, control_thread_});
  api_ = std::make_unique<api::ApiService>(api::ApiParts{*store_, hub_, registry_, *namespaces_, authenticator_, authorizer_,
                                                         health_, clock_, random_, metrics_},
                                           collections_);
  definition_hands_ = std::make_unique<Hands>(*api_, api::ApiService::Builtin::kDefinition);
  namespace_hands_ = std::make_unique<Hands>(*api_, api::ApiService::Builtin::kNamespace);
  publisher_.emplace(*store_, hub_, registry_, control_thread_);
  const source::DeleteObjects delete_objects = [this](auto resource, std::string namespace_name, base::Executor& executor) {
    return api_->DeleteObjects(std::move(resource), std::move(namespace_name), executor);
  };
  definitions_.emplace(source::StandaloneDefinitions::Parts{*store_, hub_, collections_.definitions, *publisher_,
                                                            *definition_hands_, delete_objects, clock_, control_thread_});
  WaitFor<bool>([this](auto done) { definitions_->Start([done] { done(true); }); });
  WaitFor<bool>([&](auto done) { namespaces_->Start(*namespace_hands_, delete_objects, [done] { done(true); }); });
  local_.emplace(*api_, control_thread_, local_tasks_, admin_->certificate);
  return {};
}

base::Result<void> Standalone::MakeDefaultNamespace() {
  const json::Value body = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}};
  ANNEX_TRY(const auto answer, local_->Call("POST", "/api/v1/namespaces", body));
  if (answer.status == 201 || answer.status == 409) return {};
  return base::Error(base::Reason::kInternalError, "making the namespace default failed: " + json::TextAt(answer.body, {"message"}));
}

base::Result<void> Standalone::ApplyDefinitionFiles() {
  const source::DefinitionFiles files = source::ReadDefinitionFiles(options_.definitions_dir);
  for (const source::DefinitionProblem& problem : files.problems) {
    base::LogError("A definition file cannot be used", {{"file", problem.file},
                                                        {"line", static_cast<std::uint64_t>(problem.line)},
                                                        {"error", problem.message}});
  }
  for (const source::DefinitionDocument& document : files.definitions) {
    if (const auto applied = ApplyDefinition(document.definition); !applied) {
      base::LogError("A definition was refused", {{"file", document.file},
                                                  {"line", static_cast<std::uint64_t>(document.line)},
                                                  {"error", applied.error().message}});
    }
  }
  return {};
}

// Creates the definition, or brings the one that is there to the file's spec, labels and annotations.
base::Result<void> Standalone::ApplyDefinition(const json::Value& definition) {
  const std::string path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string name = json::TextAt(definition, {"metadata", "name"});
  ANNEX_TRY(auto answer, local_->Call("POST", path, definition));
  while (answer.status == 409) {
    ANNEX_TRY(const auto existing, local_->Call("GET", path + "/" + name, nullptr));
    if (existing.status != 200) break;
    json::Value wanted = existing.body;
    wanted["spec"] = definition["spec"];
    for (const char* part : {"labels", "annotations"}) {
      if (const json::Value* value = json::FindPath(definition, {"metadata", part})) wanted["metadata"][part] = *value;
    }
    ANNEX_TRY(answer, local_->Call("PUT", path + "/" + name, wanted));
  }
  if (answer.status == 200 || answer.status == 201) return {};
  return base::Error(base::Reason::kInvalid, json::TextAt(answer.body, {"message"}));
}

base::Result<void> Standalone::StartHttp() {
  http::Identity identity;
  if (!options_.tls_cert_file.empty()) {
    ANNEX_TRY(identity.certificate, ReadFile(options_.tls_cert_file));
    ANNEX_TRY(identity.key, ReadFile(options_.tls_private_key_file));
  } else {
    ANNEX_TRY(auto serving, pki_->Serving(ServingNames(options_)));
    identity = {std::move(serving.certificate), std::move(serving.key)};
  }
  http::ServerOptions http;
  http.address = options_.listen_address;
  http.port = options_.listen_port;
  http.threads = static_cast<std::size_t>(options_.threads);
  http.limits.max_body_bytes = static_cast<std::size_t>(options_.max_request_body_kib) << 10U;
  http.limits.max_connections = static_cast<std::size_t>(options_.max_connections);
  ANNEX_TRY(http_, http::Server::Start(http, identity, *api_, clock_, metrics_));
  return {};
}

base::Result<void> Standalone::WriteKubeconfig() {
  std::string address = LocalAddress(options_.listen_address);
  if (address.find(':') != std::string::npos) address = "[" + address + "]";
  const std::string url = "https://" + address + ":" + std::to_string(port());
  const std::string path = options_.data_dir + "/admin.kubeconfig";
  ANNEX_RETURN_IF_ERROR(WritePrivateFile(path, MakeKubeconfig(url, pki_->authority(), *admin_)));
  base::LogInfo("Serving securely", {{"url", url}, {"kubeconfig", path}});
  return {};
}

}  // namespace annex::server
