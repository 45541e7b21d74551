#include "annex/selector/field_selector.h"

#include "annex/base/strings.h"

#include <algorithm>

namespace annex::selector {
namespace {

auto Bad(std::string message) {
  return base::Error(base::Reason::kBadRequest, std::move(message));
}

// Splits at commas that no backslash stands before.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (escaped) {
      escaped = false;
    } else if (text[i] == '\\') {
      escaped = true;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

// Copies the character at `position` and returns where the next one begins. Go reads text by code points:
// what is none becomes U+FFFD.
std::size_t AppendCodePoint(std::string& to, std::string_view text, std::size_t position) {
  constexpr char32_t kReplacement = 0xFFFD;
  constexpr std::string_view kEncodedReplacement = "\xEF\xBF\xBD";
  std::size_t end = position;
  const bool invalid = base::NextCodePoint(text, end) == kReplacement;
  to += invalid ? kEncodedReplacement : text.substr(position, end - position);
  return end;
}

base::Result<std::string> Unescape(std::string_view text) {
  // Upstream does not look at the characters of a value without special ones.
  if (text.find_first_of("\\,=") == std::string_view::npos) return std::string(text);
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (character == '\\') {
      if (i + 1 == text.size()) return Bad("invalid field selector: invalid escape sequence: \\");
      const std::size_t begin = ++i;
      if (text[i] != '\\' && text[i] != ',' && text[i] != '=') {
        std::string shown;
        AppendCodePoint(shown, text, begin);
        return Bad("invalid field selector: invalid escape sequence: \\" + shown);
      }
      value += text[i];
    } else if (character == ',' || character == '=') {
      // The number is how Go prints a character without a format of its own.
      return Bad("invalid field selector: unescaped character in value: " +
                 std::to_string(static_cast<int>(character)));
    } else if (static_cast<unsigned char>(character) < 0x80) {
      value += character;
    } else {
      i = AppendCodePoint(value, text, i) - 1;
    }
  }
  return value;
}

struct Split {
  std::string_view field;
  bool equal;
  std::string_view value;
};

// At the first operator: "!=", "==" or "=".
std::optional<Split> SplitTerm(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    if (rest.starts_with("!=")) return Split{term.substr(0, i), false, rest.substr(2)};
    if (rest.starts_with("==")) return Split{term.substr(0, i), true, rest.substr(2)};
    if (rest.starts_with("=")) return Split{term.substr(0, i), true, rest.substr(1)};
  }
  return std::nullopt;
}

}  // namespace

base::Result<std::vector<FieldRequirement>> ParseFieldSelector(std::string_view text) {
  std::vector<std::string_view> terms = SplitTerms(text);
  std::sort(terms.begin(), terms.end());
  std::vector<FieldRequirement> requirements;
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    const auto split = SplitTerm(term);
    if (!split) {
      return Bad("invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(term) +
                 "'");
    }
    ANNEX_TRY(std::string value, Unescape(split->value));
    // As upstream, "=" alone asks for nothing.
    if (split->field.empty() && value.empty()) continue;
    requirements.push_back({std::string(split->field), split->equal, std::move(value)});
  }
  return requirements;
}

}  // namespace annex::selector
