// The parts of YamlScanner for directives ("%YAML 1.1", "%TAG !e! tag:example.com:") and tags ("!!int",
// "!<tag:…>").
#include "annex/base/strings.h"
#include "yaml_scanner.h"

#include <utility>

namespace annex::json {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

bool YamlScanner::FetchDirective() {
  UnrollIndent(-1);
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = false;
  const Mark begin = mark_;
  Skip();
  const std::string name = ReadWord();
  if (name.empty()) return Fail("could not find expected directive name");
  if (!AtSpaceOrEnd()) return Fail("found unexpected non-alphabetical character");
  Token token;
  if (name == "YAML") {
    token.kind = Kind::kVersionDirective;
    if (!ScanVersion(token.text)) return false;
  } else if (name == "TAG") {
    token.kind = Kind::kTagDirective;
    if (!ScanTagDirective(token.text, token.suffix)) return false;
  } else {
    return Fail("found unknown directive name");
  }
  SkipBlanks();
  SkipComment();
  if (!AtEnd() && !AtBreak()) return Fail("did not find expected comment or line break");
  if (!AtEnd()) ReadBreak();
  Token& pushed = Push(token.kind, begin);
  pushed.text = std::move(token.text);
  pushed.suffix = std::move(token.suffix);
  return true;
}

bool YamlScanner::ScanVersion(std::string& version) {
  constexpr std::size_t kMaxDigits = 2;
  SkipBlanks();
  for (const bool major : {true, false}) {
    int number = 0;
    std::size_t digits = 0;
    for (; At() >= '0' && At() <= '9'; Skip()) {
      if (++digits > kMaxDigits) return Fail("found extremely long version number");
      number = number * 10 + (At() - '0');
    }
    if (digits == 0) return Fail("did not find expected version number");
    version += std::to_string(number);
    if (!major) break;
    if (At() != '.') return Fail("did not find expected digit or '.' character");
    version += '.';
    Skip();
  }
  return true;
}

bool YamlScanner::ScanTagDirective(std::string& handle, std::string& prefix) {
  SkipBlanks();
  if (!ScanTagHandle(true, handle)) return false;
  if (!AtBlank()) return Fail("did not find expected whitespace");
  SkipBlanks();
  if (!ScanTagUri(prefix)) return false;
  if (prefix.empty()) return Fail("did not find expected tag URI");
  if (!AtSpaceOrEnd()) return Fail("did not find expected whitespace or line break");
  return true;
}

bool YamlScanner::FetchTag() {
  if (!SaveSimpleKey()) return false;
  simple_key_allowed_ = false;
  Token& token = Push(Kind::kTag, mark_);
  if (At(1) == '<') {
    Skip(2);
    if (!ScanTagUri(token.suffix)) return false;
    if (token.suffix.empty()) return Fail("did not find expected tag URI");
    if (At() != '>') return Fail("did not find the expected '>'");
    Skip();
  } else {
    if (!ScanTagHandle(false, token.text)) return false;
    if (token.text.size() > 1 && token.text.ends_with('!')) {
      if (!ScanTagUri(token.suffix)) return false;
      if (token.suffix.empty()) return Fail("did not find expected tag URI");
    } else {
      // No handle after all: what follows the first "!" begins the suffix. A mere "!" is a tag without
      // handle.
      token.suffix = token.text.substr(1);
      token.text = "!";
      if (!ScanTagUri(token.suffix)) return false;
      if (token.suffix.empty()) std::swap(token.text, token.suffix);
    }
  }
  if (!AtSpaceOrEnd()) return Fail("did not find expected whitespace or line break");
  return true;
}

// "!", "!!" or "!name!"; outside a directive also the beginning of "!suffix".
bool YamlScanner::ScanTagHandle(bool directive, std::string& handle) {
  if (At() != '!') return Fail("did not find expected '!'");
  Skip();
  handle = '!' + ReadWord();
  if (At() == '!') {
    handle += '!';
    Skip();
  } else if (directive && handle != "!") {
    return Fail("did not find expected '!'");
  }
  return true;
}

// Appends to `uri`.
bool YamlScanner::ScanTagUri(std::string& uri) {
  constexpr std::string_view kAllowed = ";/?:@&=+$,.!~*'()[]%";
  while (true) {
    uri += ReadWord();
    if (At() == '\0' || kAllowed.find(At()) == std::string_view::npos) return true;
    if (At() == '%') {
      if (!ScanUriEscape(uri)) return false;
    } else {
      uri += At();
      Skip();
    }
  }
}

// "%C3%A9": all bytes of one character.
bool YamlScanner::ScanUriEscape(std::string& uri) {
  std::size_t left = 0;
  bool first = true;
  do {
    const int high = HexValue(At(1));
    const int low = HexValue(At(2));
    if (At() != '%' || high < 0 || low < 0) return Fail("did not find URI escaped octet");
    const auto byte = static_cast<unsigned char>(high * 16 + low);
    if (first) {
      first = false;
      if (byte >= 0x80 && byte < 0xC0) return Fail("found an incorrect leading UTF-8 octet");
      if (byte >= 0xF8) return Fail("found an incorrect leading UTF-8 octet");
      left = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    } else if ((byte & 0xC0U) != 0x80) {
      return Fail("found an incorrect trailing UTF-8 octet");
    }
    uri += static_cast<char>(byte);
    Skip(3);
  } while (--left > 0);
  return true;
}

}  // namespace annex::json
