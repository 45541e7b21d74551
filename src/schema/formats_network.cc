// uri, hostname, ipv4, ipv6, mac.
#include "annex/base/check.h"
#include "annex/base/strings.h"
#include "annex/schema/pattern.h"
#include "digits.h"
#include "formats.h"
#include "ip.h"

#include <algorithm>
#include <string>

namespace annex::schema {
namespace {

bool IsLetter(char character) {
  const char lower = static_cast<char>(character | 0x20);
  return lower >= 'a' && lower <= 'z';
}
int HexDigit(char character) {
  if (IsDigit(character)) return character - '0';
  const char lower = static_cast<char>(character | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Where an escape stands decides what it may stand for (net/url's unescape).
enum class Place : std::uint8_t { kPath, kUserInfo, kHost, kZone };

// Characters that a host may hold as they are.
bool IsHostCharacter(char character) {
  return IsDigit(character) || IsLetter(character) ||
         (character != '\0' &&
          std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(character) != std::string_view::npos);
}

bool IsGoodEscape(std::string_view escape, Place place) {
  if (escape.size() < 3 || HexDigit(escape[1]) < 0 || HexDigit(escape[2]) < 0) return false;
  if (place == Place::kPath || place == Place::kUserInfo || escape == "%25") return true;
  const int byte = HexDigit(escape[1]) * 16 + HexDigit(escape[2]);
  if (place == Place::kHost) return byte >= 0x80;
  return byte == ' ' || (byte < 0x80 && IsHostCharacter(static_cast<char>(byte)));
}

bool IsEscapedWell(std::string_view text, Place place) {
  const bool host = place == Place::kHost || place == Place::kZone;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '%') {
      if (!IsGoodEscape(text.substr(i, 3), place)) return false;
      i += 3;
    } else {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (host && byte < 0x80 && !IsHostCharacter(text[i])) return false;
      ++i;
    }
  }
  return true;
}

std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      plain += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool IsOptionalPort(std::string_view port) {
  return port.empty() || (port[0] == ':' && std::all_of(port.begin() + 1, port.end(), IsDigit));
}

// "[fe80::1%25en0]:80"
bool IsIpLiteral(std::string_view host) {
  const auto close = host.rfind(']');
  if (close == std::string_view::npos || !IsOptionalPort(host.substr(close + 1))) return false;
  const std::string_view name = host.substr(1, close - 1);
  const auto zone = std::min(name.find("%25"), name.size());
  if (!IsEscapedWell(name.substr(0, zone), Place::kHost) || !IsEscapedWell(name.substr(zone), Place::kZone))
    return false;
  return IsIpv6WithZone(Unescape(name));
}

bool IsHost(std::string_view host) {
  const auto open = host.rfind('[');
  if (open == 0) return IsIpLiteral(host);
  if (open != std::string_view::npos) return false;
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && !IsOptionalPort(host.substr(colon))) return false;
  return IsEscapedWell(host, Place::kHost);
}

bool IsUserInfo(std::string_view text) {
  const auto allowed = [](char character) {
    return IsDigit(character) || IsLetter(character) ||
           (character != '\0' &&
            std::string_view("-._:~!$&'()*+,;=%@").find(character) != std::string_view::npos);
  };
  return std::all_of(text.begin(), text.end(), allowed) && IsEscapedWell(text, Place::kUserInfo);
}

bool IsAuthority(std::string_view authority) {
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos) return IsHost(authority);
  return IsHost(authority.substr(at + 1)) && IsUserInfo(authority.substr(0, at));
}

// The length of the scheme in front of a colon; 0 if there is none.
std::size_t SchemeLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsLetter(text[i])) continue;
    if (text[i] == ':') return i;
    const bool inner = IsDigit(text[i]) || text[i] == '+' || text[i] == '-' || text[i] == '.';
    if (!inner || i == 0) return 0;
  }
  return 0;
}

// A host name as kube-openapi understands RFC 1034: one label, or labels with a top-level domain of letters.
// Letters and symbols of any script count; one label alone may have a dash only behind its first character.
std::string HostnameExpression() {
  const std::string inner = R"(a-zA-Z0-9\p{S}\p{L})";
  const std::string one = "[" + inner + "]";
  const std::string single = one + "(-?" + one + "{0,62})?";
  const std::string label = one + "([-" + inner + "]{0,61}" + one + ")?";
  const std::string domain = "(" + label + R"(\.)+)" + R"([a-zA-Z\p{L}]{2,63})";
  return "^(" + single + "|" + domain + ")$";
}

}  // namespace

bool IsUri(std::string_view text) {
  const auto control = [](char character) {
    return static_cast<unsigned char>(character) < 0x20 || character == 0x7F;
  };
  if (text.empty() || text[0] == ':' || std::any_of(text.begin(), text.end(), control)) return false;
  if (text == "*") return true;
  const std::size_t scheme = SchemeLength(text);
  std::string_view rest = scheme == 0 ? text : text.substr(scheme + 1);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return scheme > 0;
  if (scheme > 0 && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const auto path = std::min(rest.find('/'), rest.size());
    if (!IsAuthority(rest.substr(0, path))) return false;
    rest.remove_prefix(path);
  }
  return IsEscapedWell(rest, Place::kPath);
}

bool IsHostname(std::string_view text) {
  static const auto expression = [] {
    auto compiled = Pattern::Compile(HostnameExpression());
    ANNEX_CHECK(compiled.has_value(), "the expression of host names is a constant");
    return *compiled;
  }();
  constexpr std::size_t kMaxName = 255;
  constexpr std::size_t kMaxLabel = 63;
  if (text.size() > kMaxName || !expression->Matches(text)) return false;
  const auto labels = base::Split(text, '.');
  return std::all_of(labels.begin(), labels.end(),
                     [](std::string_view label) { return label.size() <= kMaxLabel; });
}

// With a dot, so an IPv6 address that ends as an IPv4 one counts too.
bool IsIpv4Format(std::string_view text) {
  return text.find('.') != std::string_view::npos && IsSloppyIp(text);
}
bool IsIpv6Format(std::string_view text) {
  return IsIpv6(text);
}

// 6, 8 or 20 bytes in hexadecimal: "00:00:5e:00:53:01", with dashes, or in groups of two bytes with dots.
bool IsMac(std::string_view text) {
  constexpr std::size_t kShortest = 14;
  if (text.size() < kShortest) return false;
  const bool pairs = text[2] == ':' || text[2] == '-';
  if (!pairs && text[4] != '.') return false;
  const char separator = pairs ? text[2] : '.';
  const std::size_t width = pairs ? 2 : 4;
  if ((text.size() + 1) % (width + 1) != 0) return false;
  const std::size_t bytes = (text.size() + 1) / (width + 1) * width / 2;
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool at_separator = i % (width + 1) == width;
    if (at_separator ? text[i] != separator : HexDigit(text[i]) < 0) return false;
  }
  return true;
}

}  // namespace annex::schema
