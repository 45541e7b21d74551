#include "annex/base/url.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <optional>

namespace annex::base {
namespace {

bool IsAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  return (c >= 'a' ? c - 'a' : c - 'A') + 10;
}

auto Problem(const std::string& why) {
  return Error(Reason::kBadRequest, why);
}

// Takes the scheme with its colon off `rest`.
Result<std::string> TakeScheme(std::string_view& rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == ':' && i == 0) return Problem("missing protocol scheme");
    if (c == ':') {
      std::string scheme = AsciiLower(rest.substr(0, i));
      rest.remove_prefix(i + 1);
      return scheme;
    }
    const bool later = i > 0 && (IsDigit(c) || c == '+' || c == '-' || c == '.');
    if (!IsAlpha(c) && !later) break;
  }
  return std::string();
}

Result<std::string> Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size() || !IsHex(text[i + 1]) || !IsHex(text[i + 2])) {
      return Problem("invalid URL escape " + Quote(text.substr(i, 3)));
    }
    plain += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
    i += 2;
  }
  return plain;
}

bool IsOptionalPort(std::string_view port) {
  if (port.empty()) return true;
  return port[0] == ':' && std::all_of(port.begin() + 1, port.end(), IsDigit);
}

// A host may hold more than RFC 3986 allows, but none of these.
std::optional<char> BadHostByte(std::string_view host) {
  constexpr std::string_view kBad = " `{}|\\^";
  const auto found = host.find_first_of(kBad);
  return found == std::string_view::npos ? std::nullopt : std::optional<char>(host[found]);
}

Result<std::string> ParseHost(std::string_view host) {
  const auto bracket = host.rfind('[');
  if (bracket != std::string_view::npos && bracket > 0) return Problem("invalid IP-literal");
  std::string_view port;
  if (bracket == 0) {
    const auto end = host.rfind(']');
    if (end == std::string_view::npos) return Problem("missing ']' in host");
    port = host.substr(end + 1);
  } else if (const auto colon = host.rfind(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
  }
  if (!IsOptionalPort(port)) return Problem("invalid port " + Quote(port) + " after host");
  if (const auto bad = BadHostByte(host)) {
    return Problem("invalid character " + Quote(std::string_view(&*bad, 1)) + " in host name");
  }
  return Unescape(host);
}

Result<void> ParseAuthority(std::string_view authority, Url& url) {
  const auto at = authority.rfind('@');
  if (at != std::string_view::npos) {
    url.user = authority.substr(0, at);
    url.has_user = true;
    authority.remove_prefix(at + 1);
  }
  ANNEX_TRY(url.host, ParseHost(authority));
  return {};
}

Result<void> ParseParts(std::string_view rest, Url& url) {
  if (std::any_of(rest.begin(), rest.end(), IsControl)) {
    return Problem("net/url: invalid control character in URL");
  }
  if (const auto hash = rest.find('#'); hash != std::string_view::npos) {
    ANNEX_TRY(url.fragment, Unescape(rest.substr(hash + 1)));
    rest = rest.substr(0, hash);
  }
  ANNEX_TRY(url.scheme, TakeScheme(rest));
  if (const auto question = rest.find('?'); question != std::string_view::npos) {
    url.query = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  // "mailto:x": neither host nor path.
  if (!rest.starts_with('/') && !url.scheme.empty()) return {};
  if (!rest.starts_with('/') && rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
    return Problem("first path segment in URL cannot contain colon");
  }
  if (rest.starts_with("//") && (!url.scheme.empty() || !rest.starts_with("///"))) {
    const std::string_view authority = rest.substr(2, rest.find('/', 2) - 2);
    rest.remove_prefix(2 + authority.size());
    ANNEX_RETURN_IF_ERROR(ParseAuthority(authority, url));
  }
  ANNEX_TRY(url.path, Unescape(rest));
  return {};
}

// Where the port's colon stands; the host's end if there is none.
std::size_t PortPlace(std::string_view host) {
  const auto bracket = host.rfind(']');
  const auto colon = host.rfind(':');
  const bool inside = bracket != std::string_view::npos && colon < bracket;
  return inside ? host.size() : std::min(colon, host.size());
}

}  // namespace

std::string Url::Hostname() const {
  const std::string_view name = std::string_view(host).substr(0, PortPlace(host));
  if (name.starts_with('[') && name.ends_with(']')) return std::string(name.substr(1, name.size() - 2));
  return std::string(name);
}

std::string Url::Port() const {
  const std::size_t place = PortPlace(host);
  return place == host.size() ? "" : host.substr(place + 1);
}

Result<Url> ParseUrl(std::string_view text) {
  Url url;
  const auto parsed = ParseParts(text, url);
  if (!parsed) return Problem("parse " + Quote(text) + ": " + parsed.error().message);
  return url;
}

bool IsRequestUri(std::string_view target) {
  if (!target.starts_with('/') || std::any_of(target.begin(), target.end(), IsControl)) return false;
  return Unescape(target.substr(0, target.find('?'))).has_value();
}

std::string EscapePath(std::string_view path) {
  constexpr std::string_view kPlain = "-_.~$&+,/:;=@";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : path) {
    if (IsAlpha(c) || IsDigit(c) || kPlain.find(c) != std::string_view::npos) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += '%';
    escaped += kDigits[byte >> 4U];
    escaped += kDigits[byte & 0xFU];
  }
  return escaped;
}

}  // namespace annex::base
