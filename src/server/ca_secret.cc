#include "ca_secret.h"

#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/kube/backoff.h"
#include "annex/source/adoption_names.h"

#include <chrono>
#include <utility>

namespace annex::server {
namespace {

using json::Value;

constexpr const char* kCertificate = "tls.crt";
constexpr const char* kKey = "tls.key";

constexpr kube::Backoff::Options kBackoff{std::chrono::seconds(1), 2.0, 0.2, std::chrono::seconds(30)};

bool MadeHere(const Value& secret) {
  return json::TextAt(secret, {"metadata", "labels", source::kManagedByLabel}) == source::kManagedByAnnex;
}

auth::CertificateAndKey AuthorityIn(const Value& secret) {
  const auto text = [&secret](const char* field) {
    return base::Base64Decode(json::TextAt(secret, {"data", field})).value_or("");
  };
  return {text(kCertificate), text(kKey)};
}

}  // namespace

CaSecret::CaSecret(Parts parts, std::string namespace_name, std::string name)
    : parts_(parts),
      namespace_name_(std::move(namespace_name)),
      name_(std::move(name)),
      path_("/api/v1/namespaces/" + namespace_name_ + "/secrets"),
      reflector_(parts.client, {.path = path_, .field_selector = "metadata.name%3D" + name_}, parts.random,
                 parts.executor) {}

void CaSecret::Start() {
  parts_.executor.Post([this] {
    kube::Reflector::Handlers handlers;
    handlers.on_begin = [this] {
      synced_ = false;
      secret_ = nullptr;
    };
    handlers.on_object = [this](const Value& secret, bool deleted) { OnSecret(secret, deleted); };
    handlers.on_synced = [this] {
      synced_ = true;
      Wake();
    };
    tasks_.Spawn(reflector_.Run(std::move(handlers)));
  });
}

void CaSecret::Kick() {
  parts_.executor.Post([this] { Wake(); });
}

void CaSecret::OnSecret(const Value& secret, bool deleted) {
  secret_ = deleted ? Value() : secret;
  if (deleted) Report(parts_.file.Renew());
  Wake();
}

void CaSecret::Wake() {
  if (!synced_) return;
  again_ = true;
  if (!std::exchange(working_, true)) tasks_.Spawn(Work());
}

base::Task<void> CaSecret::Work() {
  kube::Backoff backoff(kBackoff);
  while (std::exchange(again_, false)) {
    const auto done = co_await Bring();
    Report(done);
    if (done) continue;
    co_await base::Sleep(parts_.executor, backoff.Next(parts_.random));
    again_ = true;
  }
  working_ = false;
}

base::Task<base::Result<void>> CaSecret::Bring() {
  if (secret_.is_null()) co_return co_await Write();
  const auth::CertificateAndKey authority = AuthorityIn(secret_);
  if (parts_.file.IsGood(authority)) co_return parts_.file.Replace(authority);
  if (MadeHere(secret_)) co_return co_await Write();
  co_return base::Error(base::Reason::kInvalid,
                        "it has no authority in tls.crt and tls.key, or one that is about to end");
}

base::Task<base::Result<void>> CaSecret::Write() {
  ANNEX_CO_TRY(const auto authority, parts_.file.Read());
  kube::Client::Call call;
  call.method = secret_.is_null() ? "POST" : "PUT";
  call.target = secret_.is_null() ? path_ : path_ + "/" + name_;
  call.body = secret_;
  call.body["apiVersion"] = "v1";
  call.body["kind"] = "Secret";
  call.body["type"] = "kubernetes.io/tls";
  call.body["metadata"]["name"] = name_;
  call.body["metadata"]["labels"][source::kManagedByLabel] = source::kManagedByAnnex;
  call.body["data"] = {{kCertificate, base::Base64Encode(authority.certificate)},
                       {kKey, base::Base64Encode(authority.key)}};
  const auto answer = co_await parts_.client.Send(std::move(call), parts_.executor);
  if (!answer) co_return base::Error(answer.error());
  // Somebody was faster: the watch will tell, and wake us.
  if (answer->ok() || answer->status == 409) co_return base::Result<void>();
  co_return base::Error(base::Reason::kServiceUnavailable, answer->Message());
}

void CaSecret::Report(const base::Result<void>& done) {
  const std::string problem = done ? "" : done.error().message;
  if (!problem.empty() && problem != reported_)
    base::LogError("The certificate authority and its Secret cannot be brought together",
                   {{"secret", namespace_name_ + "/" + name_}, {"error", problem}});
  reported_ = problem;
}

}  // namespace annex::server
