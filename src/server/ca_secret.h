// CaSecret: keeps the authority of Annex's serving certificate in a Secret of the cluster (type
// kubernetes.io/tls, as cert-manager keeps authorities), so that it outlives the volume, and can be replaced
// while Annex runs.
//
// The Secret decides: an authority that appears in it goes to the AuthorityFile, from where it comes into
// use. A Secret that is missing is made from the file. One that is deleted while Annex runs, or comes near
// its end, gets a new authority. One that somebody else made is read, and never written.
//
// Thread rule: Start and Kick may be called from any thread; everything else runs on `executor`.
// Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"
#include "annex/kube/reflector.h"
#include "authority_file.h"

#include <string>

namespace annex::server {

class CaSecret {
 public:
  struct Parts {
    kube::Client& client;
    AuthorityFile& file;
    base::Random& random;
    base::Executor& executor;
  };
  CaSecret(Parts parts, std::string namespace_name, std::string name);

  // Begins to follow the Secret. What fails is logged and tried again.
  void Start();
  // Looks again: time has passed, and the authority may have come near its end.
  void Kick();

 private:
  void OnSecret(const json::Value& secret, bool deleted);
  void Wake();
  base::Task<void> Work();
  base::Task<base::Result<void>> Bring();
  // Writes the file's authority to the cluster.
  base::Task<base::Result<void>> Write();
  void Report(const base::Result<void>& done);

  const Parts parts_;
  const std::string namespace_name_;
  const std::string name_;
  const std::string path_;
  kube::Reflector reflector_;

  bool synced_ = false;
  json::Value secret_;  // null: there is none
  bool working_ = false;
  bool again_ = false;
  std::string reported_;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::server
