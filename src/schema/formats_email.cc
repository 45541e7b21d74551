// email: one address as Go's net/mail reads it (RFC 5322 with the usual liberties): "a@b", "Name <a@b>",
// "group: a@b;".
#include "annex/base/strings.h"
#include "formats.h"
#include "go_base64.h"
#include "ip.h"

#include <algorithm>
#include <optional>
#include <string>

namespace annex::schema {
namespace {

bool IsVisible(char32_t character) {
  return (character >= '!' && character <= '~') || character >= 0x80;
}
bool IsBlank(char32_t character) {
  return character == ' ' || character == '\t';
}

// Of an atom, dots included.
bool IsAtomText(char32_t character) {
  return IsVisible(character) &&
         (character >= 0x80 ||
          std::u32string_view(U"()<>[]:;@\\,\"").find(character) == std::u32string_view::npos);
}

struct EncodedWord {
  enum class Kind : std::uint8_t { kPlain, kDecoded, kUnknownCharset };
  Kind kind = Kind::kPlain;
  bool empty = true;  // what it decodes to
};

// "=41" is a byte; other characters must be printable or white space.
std::optional<std::string> DecodeQ(std::string_view text) {
  const auto hex = [](char character) {
    const char lower = static_cast<char>(character | 0x20);
    return (character >= '0' && character <= '9') || (lower >= 'a' && lower <= 'f');
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (character == '=') {
      if (i + 2 >= text.size() || !hex(text[i + 1]) || !hex(text[i + 2])) return std::nullopt;
      out += 'x';
      i += 2;
    } else if ((character >= ' ' && character <= '~') || character == '\n' || character == '\r' ||
               character == '\t') {
      out += character;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

// "=?utf-8?q?word?=" (RFC 2047). Only whether it can be decoded matters, and to nothing or something.
EncodedWord ReadEncodedWord(std::string_view word) {
  constexpr std::size_t kShortest = 8;
  if (word.size() < kShortest || !word.starts_with("=?") || !word.ends_with("?=")) return {};
  if (std::count(word.begin(), word.end(), '?') != 4) return {};
  const auto parts = base::Split(word.substr(2, word.size() - 4), '?');
  if (parts.size() != 3 || parts[0].empty() || parts[1].size() != 1) return {};
  const char encoding = static_cast<char>(parts[1][0] | 0x20);
  std::optional<std::string> content;
  if (encoding == 'q') {
    content = DecodeQ(parts[2]);
  } else if (encoding == 'b') {
    if (auto bytes = DecodeBase64(parts[2])) content = *std::move(bytes);
  }
  if (!content) return {};
  const bool known = base::EqualsIgnoreCase(parts[0], "utf-8") ||
                     base::EqualsIgnoreCase(parts[0], "iso-8859-1") ||
                     base::EqualsIgnoreCase(parts[0], "us-ascii");
  return {known ? EncodedWord::Kind::kDecoded : EncodedWord::Kind::kUnknownCharset, content->empty()};
}

// Reads from the front of `rest_`. A function that returns false has failed; the place where it stopped does
// not matter unless it says so.
class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : rest_(text) {}

  bool ReadSingle() {
    std::size_t count = 0;
    return ReadAddress(Groups::kAllowed, count) && SkipComments() && rest_.empty() && count == 1;
  }

 private:
  enum class Groups : std::uint8_t { kAllowed, kRefused };
  enum class Dots : std::uint8_t { kBetween, kAnywhere };

  bool Take(char character) {
    if (!rest_.starts_with(character)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipBlanks() {
    while (!rest_.empty() && IsBlank(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }

  // The rest of a comment whose "(" was read; `words` are its text.
  bool ReadComment(std::string* words = nullptr) {
    int depth = 1;
    while (!rest_.empty() && depth > 0) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      } else if (rest_[0] == '(') {
        ++depth;
      } else if (rest_[0] == ')') {
        --depth;
      }
      if (words != nullptr && depth > 0) *words += rest_[0];
      rest_.remove_prefix(1);
    }
    return depth == 0;
  }

  bool SkipComments() {
    SkipBlanks();
    while (Take('(')) {
      if (!ReadComment()) return false;
      SkipBlanks();
    }
    return true;
  }

  // A comment behind an address is the name; its encoded words must be readable.
  bool ReadNameComment() {
    std::string words;
    if (!Take('(') || !ReadComment(&words)) return false;
    std::replace(words.begin(), words.end(), '\t', ' ');
    const auto parts = base::Split(words, ' ');
    return std::none_of(parts.begin(), parts.end(), [](std::string_view part) {
      return ReadEncodedWord(part).kind == EncodedWord::Kind::kUnknownCharset;
    });
  }

  std::optional<std::string_view> ReadAtom(Dots dots) {
    std::size_t end = 0;
    while (end < rest_.size()) {
      std::size_t next = end;
      if (!IsAtomText(base::NextCodePoint(rest_, next))) break;
      end = next;
    }
    if (end == 0) return std::nullopt;
    const std::string_view atom = rest_.substr(0, end);
    rest_.remove_prefix(end);
    const bool misplaced =
        atom.starts_with('.') || atom.ends_with('.') || atom.find("..") != std::string_view::npos;
    if (dots == Dots::kBetween && misplaced) return std::nullopt;
    return atom;
  }

  enum class Quoted : std::uint8_t { kBad, kEmpty, kText };
  // REQUIRES: at a quote.
  Quoted ReadQuoted() {
    bool escaped = false;
    bool empty = true;
    for (std::size_t position = 1; position < rest_.size();) {
      const char32_t character = base::NextCodePoint(rest_, position);
      if (!escaped && character == '"') {
        rest_.remove_prefix(position);
        return empty ? Quoted::kEmpty : Quoted::kText;
      }
      if (!escaped && character == '\\') {
        escaped = true;
        continue;
      }
      if (!IsVisible(character) && !IsBlank(character)) return Quoted::kBad;
      escaped = false;
      empty = false;
    }
    return Quoted::kBad;
  }

  // "[192.0.2.1]"
  bool ReadDomainLiteral() {
    if (!Take('[')) return false;
    const auto end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view address = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return IsIpv4(address) || IsIpv6(address);
  }

  // "local@domain". When it fails, nothing has been read.
  bool ReadSpec() {
    const std::string_view before = rest_;
    if (ReadLocalPart() && Take('@') && ReadDomain()) return true;
    rest_ = before;
    return false;
  }
  bool ReadLocalPart() {
    SkipBlanks();
    if (rest_.starts_with('"')) return ReadQuoted() == Quoted::kText;
    return ReadAtom(Dots::kBetween).has_value();
  }
  bool ReadDomain() {
    SkipBlanks();
    return rest_.starts_with('[') ? ReadDomainLiteral() : ReadAtom(Dots::kBetween).has_value();
  }

  // The words in front of "<": anything that follows the last readable one is left for the caller to stumble
  // over.
  bool ReadPhrase() {
    bool any_word = false;
    bool decoded = false;  // encoded words are collected and count when a plain one follows or at the end
    while (true) {
      if (any_word && !SkipComments()) return false;
      SkipBlanks();
      if (rest_.empty()) break;
      bool read = false;
      if (rest_.starts_with('"')) {
        read = ReadQuoted() != Quoted::kBad;
      } else if (const auto atom = ReadAtom(Dots::kAnywhere)) {
        const EncodedWord word = ReadEncodedWord(*atom);
        if (word.kind == EncodedWord::Kind::kDecoded) {
          decoded = decoded || !word.empty;
          continue;
        }
        read = word.kind == EncodedWord::Kind::kPlain;
      }
      if (!read) return any_word || decoded;
      any_word = true;
    }
    return true;
  }

  bool ReadAddress(Groups groups, std::size_t& count) {
    SkipBlanks();
    if (rest_.empty()) return false;
    if (ReadSpec()) {
      ++count;
      SkipBlanks();
      return !rest_.starts_with('(') || ReadNameComment();
    }
    if (!rest_.starts_with('<') && !ReadPhrase()) return false;
    SkipBlanks();
    if (groups == Groups::kAllowed && Take(':')) return ReadGroup(count);
    ++count;
    return Take('<') && ReadSpec() && Take('>');
  }

  // The members of a group whose name and colon were read. Groups do not nest.
  bool ReadGroup(std::size_t& count) {
    SkipBlanks();
    if (Take(';')) return SkipComments();
    while (true) {
      SkipBlanks();
      if (!ReadAddress(Groups::kRefused, count) || !SkipComments()) return false;
      if (Take(';')) return SkipComments();
      if (!Take(',')) return false;
    }
  }

  std::string_view rest_;
};

}  // namespace

bool IsEmail(std::string_view text) {
  return AddressReader(text).ReadSingle();
}

}  // namespace annex::schema
