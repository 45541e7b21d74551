// Cryptographic digests. Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

namespace annex::auth {

// The digest's bytes (not text): 32 and 64 of them.
std::string Sha256(std::string_view bytes);
std::string Sha512(std::string_view bytes);

}  // namespace annex::auth
