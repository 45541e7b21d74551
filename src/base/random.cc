#include "annex/base/random.h"

#include "annex/base/check.h"

#include <array>
#include <cstdio>
#include <limits>
#include <string_view>

#include <sys/random.h>

namespace annex::base {

std::string Random::Uuid() {
  const std::uint64_t version_mask = 0xFFFFFFFFFFFF0FFFULL;
  const std::uint64_t high = (Next() & version_mask) | 0x4000ULL;
  const std::uint64_t low = (Next() & 0x3FFFFFFFFFFFFFFFULL) | 0x8000000000000000ULL;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(high >> 32U),
                static_cast<unsigned>((high >> 16U) & 0xFFFFU), static_cast<unsigned>(high & 0xFFFFU),
                static_cast<unsigned>(low >> 48U), static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFULL));
  return text.data();
}

std::string Random::NameSuffix(std::size_t length) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  suffix.reserve(length);
  for (std::size_t i = 0; i < length; ++i) suffix += kAlphabet[Below(kAlphabet.size())];
  return suffix;
}

std::uint64_t Random::Below(std::uint64_t bound) {
  ANNEX_CHECK(bound > 0, "a range needs at least one value");
  // Values above the greatest multiple of `bound` are thrown again: without that, low results would be more
  // likely.
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  std::uint64_t value = Next();
  while (value >= limit) value = Next();
  return value % bound;
}

std::uint64_t SystemRandom::Next() {
  thread_local std::array<std::uint64_t, 32> block;
  thread_local std::size_t used = block.size();
  if (used == block.size()) {
    // Requests up to 256 bytes are never cut short and cannot be interrupted (getrandom(2)).
    const auto got = getrandom(block.data(), sizeof(block), 0);
    ANNEX_CHECK(got == static_cast<ssize_t>(sizeof(block)), "the kernel must give random bytes");
    used = 0;
  }
  return block[used++];
}

}  // namespace annex::base
