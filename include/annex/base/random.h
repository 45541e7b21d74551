// Random: the only source of randomness that the server's behaviour depends on. Handed in, so that a
// simulation with the same seed makes the same names and identifiers. (Key material comes from OpenSSL, never
// from here.)
//
// Thread rule: all methods of every Random are thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace annex::base {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t Next() = 0;

  // A random (version 4) UUID in its usual text form, RFC 9562.
  std::string Uuid();
  // `length` characters of "bcdfghjklmnpqrstvwxz2456789", Kubernetes' alphabet for generated names (no
  // vowels, so no words; no characters that look alike).
  std::string NameSuffix(std::size_t length);
  // Uniform in [0, bound). REQUIRES: bound > 0.
  std::uint64_t Below(std::uint64_t bound);
};

// The operating system's generator (getrandom), fetched in blocks per thread.
class SystemRandom final : public Random {
 public:
  std::uint64_t Next() override;
};

}  // namespace annex::base
