#include "ip.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace annex::schema {
namespace {

enum class Zeros : std::uint8_t { kRefuseLeading, kAllowLeading };

bool IsDecimal(char character) {
  return character >= '0' && character <= '9';
}
bool IsHex(char character) {
  const char lower = static_cast<char>(character | 0x20);
  return IsDecimal(character) || (lower >= 'a' && lower <= 'f');
}

// Takes the decimal number at the front of `text`; it may be at most `largest`.
std::optional<unsigned> TakeNumber(std::string_view& text, unsigned largest, Zeros zeros) {
  unsigned number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && IsDecimal(text[digits])) {
    number = number * 10 + static_cast<unsigned>(text[digits] - '0');
    if (number > largest) return std::nullopt;
    ++digits;
  }
  if (digits == 0 || (zeros == Zeros::kRefuseLeading && digits > 1 && text[0] == '0')) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool IsIpv4With(std::string_view text, Zeros zeros) {
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
    if (!TakeNumber(text, 255, zeros)) return false;
  }
  return text.empty();
}

// Groups of hexadecimal digits, one "::" at most, and an IPv4 address in the place of the last two groups.
bool IsIpv6With(std::string_view text, Zeros zeros) {
  constexpr std::size_t kGroups = 8;
  std::size_t groups = 0;
  bool ellipsis = false;
  if (text.starts_with("::")) {
    ellipsis = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (groups < kGroups) {
    std::size_t digits = 0;
    std::size_t significant = 0;
    while (digits < text.size() && IsHex(text[digits])) {
      if (significant > 0 || text[digits] != '0') ++significant;
      ++digits;
    }
    if (digits == 0 || significant > 4 || (zeros == Zeros::kRefuseLeading && digits > 4)) return false;
    if (digits < text.size() && text[digits] == '.') {
      if ((!ellipsis && groups != kGroups - 2) || groups + 2 > kGroups || !IsIpv4With(text, zeros))
        return false;
      text = {};
      groups += 2;
      break;
    }
    ++groups;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text[0] != ':' || text.size() == 1) return false;
    text.remove_prefix(1);
    if (text[0] == ':') {
      if (ellipsis) return false;
      ellipsis = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  // "::" stands for at least one group.
  return text.empty() && (ellipsis ? groups < kGroups : groups == kGroups);
}

}  // namespace

bool IsIpv4(std::string_view text) {
  return IsIpv4With(text, Zeros::kRefuseLeading);
}
bool IsIpv6(std::string_view text) {
  return IsIpv6With(text, Zeros::kRefuseLeading);
}

bool IsIpv6WithZone(std::string_view text) {
  const auto mark = text.find('%');
  if (mark == std::string_view::npos) return IsIpv6(text);
  return mark + 1 < text.size() && IsIpv6(text.substr(0, mark));
}

bool IsSloppyIp(std::string_view text) {
  const auto separator = text.find_first_of(".:");
  if (separator == std::string_view::npos) return false;
  return text[separator] == '.' ? IsIpv4With(text, Zeros::kAllowLeading)
                                : IsIpv6With(text, Zeros::kAllowLeading);
}

bool IsSloppyCidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const bool ipv4 = IsIpv4With(address, Zeros::kAllowLeading);
  if (!ipv4 && !IsIpv6With(address, Zeros::kAllowLeading)) return false;
  std::string_view bits = text.substr(slash + 1);
  return TakeNumber(bits, ipv4 ? 32 : 128, Zeros::kAllowLeading) && bits.empty();
}

}  // namespace annex::schema
