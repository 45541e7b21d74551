#include "cluster.h"

#include "annex/base/log.h"
#include "annex/kube/config.h"
#include "private_files.h"

#include <chrono>
#include <thread>
#include <utility>

namespace annex::server {
namespace {

// How long a start waits for what the cluster has to tell before a request can be answered. Whoever asks
// earlier is refused by the kernel, and kube-apiserver says so at once; but a server that never listened
// could not tell what it lacks.
constexpr std::chrono::seconds kLearningPatience{2};
constexpr std::chrono::milliseconds kLearningPoll{2};

base::Result<kube::Config> ReadConfig(const std::string& kubeconfig) {
  if (kubeconfig.empty()) return kube::InClusterConfig();
  auto config = kube::LoadKubeconfig(kubeconfig);
  if (!config) return base::Error(base::Reason::kInvalid, "--kubeconfig: " + config.error().message);
  return config;
}

// Where Annex's Service is, if nobody says so: where Annex itself is.
base::Result<void> CompleteService(ServeOptions& options, const kube::Config& config) {
  if (options.service_namespace.empty()) options.service_namespace = config.namespace_name;
  if (!options.service_namespace.empty()) return {};
  return base::Error(base::Reason::kInvalid,
                     "--service-namespace is missing: name the namespace of the Service that leads to this "
                     "server (the kubeconfig's "
                     "context names none)");
}

}  // namespace

Cluster::Cluster(std::unique_ptr<Foundation> foundation, std::unique_ptr<kube::Client> client)
    : foundation_(std::move(foundation)),
      client_(std::move(client)),
      reachability_(*client_, foundation_->control_thread),
      tokens_(*client_, foundation_->clock, foundation_->random, foundation_->metrics),
      authenticator_(foundation_->clock, &tokens_),
      authentication_(*client_, authenticator_, foundation_->random, foundation_->control_thread),
      authorizer_(*client_, foundation_->clock, foundation_->random, foundation_->metrics),
      services_(*client_),
      namespaces_(*client_, foundation_->clock, foundation_->random, foundation_->control_thread),
      owner_(*client_, foundation_->options.owner_cluster_role, foundation_->control_thread) {}

base::Result<std::unique_ptr<Cluster>> Cluster::Start(const ServeOptions& asked) {
  ServeOptions options = asked;
  ANNEX_TRY(const auto config, ReadConfig(options.kubeconfig));
  ANNEX_RETURN_IF_ERROR(CompleteService(options, config));
  ANNEX_TRY(auto client, kube::Client::Make(config));
  ANNEX_TRY(auto foundation, Foundation::Open(options));
  std::unique_ptr<Cluster> server(new Cluster(std::move(foundation), std::move(client)));
  server->AddHealthChecks();
  ANNEX_TRY(server->pki_, Pki::Open(options.data_dir, server->foundation_->clock));
  ANNEX_RETURN_IF_ERROR(server->StartFrontend());
  ANNEX_RETURN_IF_ERROR(server->StartFolder());
  server->AwaitLearning();
  ANNEX_RETURN_IF_ERROR(server->frontend_->Listen(*server->pki_, server->ServingNames()));
  server->frontend_->Serve();
  base::LogInfo("Serving securely", {{"address", options.listen_address},
                                     {"port", static_cast<std::uint64_t>(server->frontend_->port())},
                                     {"service", options.service_namespace + "/" + options.service_name},
                                     {"cluster", config.server}});
  ANNEX_RETURN_IF_ERROR(server->StartRegistrar());
  server->StartCaSecret();
  if (options.adopt) server->StartAdoption();
  ANNEX_RETURN_IF_ERROR(server->StartRenewal());
  return server;
}

Cluster::~Cluster() {
  renewal_.reset();
  if (frontend_) frontend_->StopListening();
  folder_.reset();
  // What follows the cluster ends first, and takes no notice of the calls that Stop breaks off.
  foundation_->control_thread.Stop();
  client_->Stop();
  foundation_->Stop();
}

void Cluster::AddHealthChecks() {
  const auto check = [this](const char* name, auto ready, const char* message) {
    foundation_->health.Add({name, [ready, message]() -> base::Result<void> {
                               if (ready()) return {};
                               return base::Error(base::Reason::kServiceUnavailable, message);
                             }});
  };
  check(
      "authentication", [this] { return authentication_.Ready(); },
      "the cluster's ConfigMap kube-system/extension-apiserver-authentication was not read yet");
  check(
      "namespaces", [this] { return namespaces_.Ready(); }, "the cluster's namespaces were not read yet");
  foundation_->health.Add({"kube-apiserver", [this] { return reachability_.State(); }});
}

base::Result<void> Cluster::StartFrontend() {
  reachability_.Start();
  authentication_.Start();
  namespaces_.Start();
  Frontend::Parts parts{*foundation_, namespaces_, authenticator_, authorizer_, services_, std::nullopt};
  parts.objects = source::DefinitionController::Objects::kKeep;
  ANNEX_TRY(frontend_, Frontend::Start(parts));
  return {};
}

void Cluster::AwaitLearning() const {
  const base::Clock& clock = foundation_->clock;
  const auto end = clock.Monotonic() + kLearningPatience;
  while ((!authentication_.Ready() || !namespaces_.Ready()) && clock.Monotonic() < end)
    std::this_thread::sleep_for(kLearningPoll);
}

std::vector<std::string> Cluster::ServingNames() const {
  const ServeOptions& options = foundation_->options;
  std::vector<std::string> names = LocalNames(options);
  const std::string service = options.service_name + "." + options.service_namespace;
  for (const char* suffix : {".svc", ".svc.cluster.local", ""}) names.push_back(service + suffix);
  return names;
}

base::Result<std::string> Cluster::CaBundle() const {
  const std::string& own_file = foundation_->options.tls_cert_file;
  if (own_file.empty()) return pki_->authorities();
  return ReadFile(own_file);
}

base::Result<void> Cluster::StartFolder() {
  const std::string& directory = foundation_->options.definitions_dir;
  if (directory.empty()) return {};
  ANNEX_TRY(folder_, DefinitionFolder::Start({directory, true}, frontend_->local(), foundation_->metrics));
  return {};
}

void Cluster::StartAdoption() {
  own_definitions_.emplace(frontend_->local());
  const auto stored_form = [this](std::shared_ptr<const definition::Resource> resource, json::Value object) {
    return frontend_->api().StoredForm(std::move(resource), std::move(object));
  };
  adoption_.emplace(
      source::ClusterDefinitions::Parts{*client_, *foundation_->store, frontend_->publisher(), *registrar_,
                                        *own_definitions_, stored_form, foundation_->clock,
                                        foundation_->random, foundation_->control_thread},
      foundation_->options.service_namespace);
  adoption_->Start();
}

base::Result<void> Cluster::StartRegistrar() {
  const ServeOptions& options = foundation_->options;
  source::ApiServiceRegistrar::Service service{options.service_namespace, options.service_name,
                                               options.service_port, ""};
  ANNEX_TRY(service.ca_bundle, CaBundle());
  registrar_.emplace(
      source::ApiServiceRegistrar::Parts{*client_, owner_, foundation_->registry, frontend_->publisher(),
                                         foundation_->clock, foundation_->random, foundation_->metrics,
                                         foundation_->control_thread,
                                         [this] { return authentication_.Ready(); }},
      std::move(service));
  foundation_->control_thread.Post(
      [this] { frontend_->publisher().OnChange([this] { registrar_->Kick(); }); });
  registrar_->Start();
  return {};
}

void Cluster::StartCaSecret() {
  const ServeOptions& options = foundation_->options;
  if (options.ca_secret.empty()) return;
  ca_secret_.emplace(
      CaSecret::Parts{*client_, pki_->authority_file(), foundation_->random, foundation_->control_thread},
      options.service_namespace, options.ca_secret);
  ca_secret_->Start();
}

base::Result<void> Cluster::StartRenewal() {
  const std::string folder = CertificateFolder(foundation_->options, *pki_);
  ANNEX_TRY(renewal_, CertificateRenewal::Start(folder, [this] { return Renew(); }));
  return {};
}

base::Result<void> Cluster::Renew() {
  if (foundation_->options.tls_cert_file.empty()) ANNEX_RETURN_IF_ERROR(pki_->Reload());
  ANNEX_RETURN_IF_ERROR(frontend_->RenewIdentity());
  ANNEX_TRY(auto bundle, CaBundle());
  foundation_->control_thread.Post([this, bundle = std::move(bundle)] { registrar_->SetCaBundle(bundle); });
  if (ca_secret_) ca_secret_->Kick();
  return {};
}

}  // namespace annex::server
