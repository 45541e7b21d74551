// TrustBundle: a set of certificate authorities, and the verification of a client's certificates against
// them.
//
// Thread rule: immutable and thread-safe. Ownership: shared_ptr<const TrustBundle>; a change of authorities
// is a new bundle.
#pragma once

#include "annex/auth/peer.h"
#include "annex/base/result.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace annex::auth {

class TrustBundle {
 public:
  // Errors: Invalid (no certificate in the PEM, or one that cannot be read).
  static base::Result<std::shared_ptr<const TrustBundle>> Parse(std::string_view pem);
  ~TrustBundle();
  TrustBundle(const TrustBundle&) = delete;
  TrustBundle& operator=(const TrustBundle&) = delete;

  // Verifies a client's certificates (DER, its own first): a chain to one of the authorities, in time at
  // `now`, meant for client authentication. The outcome says until when it holds.
  CachedVerification Verify(const std::vector<std::string>& certificates,
                            std::chrono::system_clock::time_point now) const;

  // Whether some certificate is in both.
  bool SharesAuthorityWith(const TrustBundle& other) const;

  // Different for every bundle of a process.
  std::uint64_t generation() const { return generation_; }

 private:
  struct Store;
  explicit TrustBundle(std::unique_ptr<Store> store);
  const std::unique_ptr<Store> store_;
  const std::uint64_t generation_;
};

}  // namespace annex::auth
