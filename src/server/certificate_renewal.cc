#include "certificate_renewal.h"

#include "annex/base/log.h"

#include <chrono>
#include <utility>

namespace annex::server {
namespace {

// As often as kube-apiserver looks at its certificate files.
constexpr std::chrono::minutes kLook{1};

}  // namespace

base::Result<std::unique_ptr<CertificateRenewal>> CertificateRenewal::Start(const std::string& directory,
                                                                            Renew renew) {
  ANNEX_TRY(auto watch, source::FolderWatch::Open(directory));
  return std::unique_ptr<CertificateRenewal>(new CertificateRenewal(std::move(watch), std::move(renew)));
}

CertificateRenewal::CertificateRenewal(std::unique_ptr<source::FolderWatch> watch, Renew renew)
    : watch_(std::move(watch)), renew_(std::move(renew)) {
  thread_.emplace("certificates", [this] { Follow(); });
}

CertificateRenewal::~CertificateRenewal() {
  watch_->Stop();
  thread_.reset();
}

void CertificateRenewal::Follow() {
  std::string reported;
  do {
    const auto renewed = renew_();
    const std::string problem = renewed ? "" : renewed.error().message;
    if (!problem.empty() && problem != reported)
      base::LogError("A certificate cannot be renewed; the last good one stays in use", {{"error", problem}});
    reported = problem;
  } while (watch_->Wait(kLook) != source::FolderWatch::Outcome::kStopped);
}

}  // namespace annex::server
