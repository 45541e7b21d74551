// CertificateRenewal: keeps what a running server proves itself with good, without a restart.
//
// Whenever a file in the certificates' folder changed, and once a minute, `renew` brings what is in use to
// what the files and the clock say: an operator replaces a file (or a Secret's volume does), and a
// certificate that was issued here comes near its end. What fails is logged once, tried again with the next
// look, and leaves the last good certificate in use.
//
// Thread rule: `renew` runs on a thread of its own, from Start until the destructor.
#pragma once

#include "annex/base/result.h"
#include "annex/base/thread.h"
#include "annex/source/folder_watch.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace annex::server {

class CertificateRenewal {
 public:
  using Renew = std::function<base::Result<void>()>;
  // Errors: InternalError (the folder cannot be watched).
  static base::Result<std::unique_ptr<CertificateRenewal>> Start(const std::string& directory, Renew renew);
  ~CertificateRenewal();
  CertificateRenewal(const CertificateRenewal&) = delete;
  CertificateRenewal& operator=(const CertificateRenewal&) = delete;

 private:
  CertificateRenewal(std::unique_ptr<source::FolderWatch> watch, Renew renew);
  void Follow();

  const std::unique_ptr<source::FolderWatch> watch_;
  const Renew renew_;
  std::optional<base::Thread> thread_;  // last: it uses all of the above
};

}  // namespace annex::server
