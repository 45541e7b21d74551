#include "annex/auth/digest.h"

#include "annex/base/check.h"

#include <array>

#include <openssl/evp.h>

namespace annex::auth {
namespace {

std::string Digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, algorithm, nullptr);
  ANNEX_CHECK(done == 1, "OpenSSL must have the SHA-2 digests");
  return {reinterpret_cast<const char*>(digest.data()), length};
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  return Digest(EVP_sha256(), bytes);
}
std::string Sha512(std::string_view bytes) {
  return Digest(EVP_sha512(), bytes);
}

}  // namespace annex::auth
