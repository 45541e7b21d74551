#include "annex/base/strings.h"
#include "jsonpath_node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace annex::json {
namespace {

using Node = JsonPath::Node;
using Type = Node::Type;
using Nodes = std::vector<Node>;

constexpr char32_t kEnd = 0xFFFFFFFF;

bool IsDigit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool IsAlphaNumeric(char32_t c) {
  return c == '_' || IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= 0x80 && c != kEnd);
}

// What may follow a name.
bool IsTerminator(char32_t c) {
  return c == kEnd || (c < 0x80 && std::string_view(" \t\r\n.,[]$@{}").find(static_cast<char>(c)) !=
                                       std::string_view::npos);
}

base::Result<std::int64_t> ParseIndex(std::string_view text) {
  if (const auto number = base::ParseInt64(text)) return *number;
  return base::Error(base::Reason::kInvalid, "array index " + std::string(text) + " is not a number");
}

// "-?digits" at the beginning of `text`, which loses it.
std::string_view TakeIndex(std::string_view& text) {
  std::size_t size = text.starts_with('-') ? 1 : 0;
  while (size < text.size() && IsDigit(static_cast<unsigned char>(text[size]))) ++size;
  const std::string_view index = text.substr(0, size);
  text.remove_prefix(size);
  return index;
}

// "2", "1:3", "::2" and the like.
base::Result<Node> ParseRange(std::string_view text) {
  std::string_view rest = text;
  std::array<std::string_view, 3> parts;
  std::array<bool, 3> present = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      if (!rest.starts_with(':')) break;
      rest.remove_prefix(1);
    }
    present[i] = true;
    parts[i] = TakeIndex(rest);
  }
  if (!rest.empty()) return base::Error(base::Reason::kInvalid, "invalid array index " + std::string(text));
  Node node{.type = Type::kArray};
  const std::array<std::optional<std::int64_t>*, 3> targets = {&node.range.first, &node.range.end,
                                                               &node.range.step};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    ANNEX_TRY(*targets[i], ParseIndex(parts[i]));
  }
  if (!present[1]) {
    node.range.end = node.range.first.value_or(0) + 1;
    node.range.derived_end = true;
  }
  return node;
}

class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}

  // The whole template: text and actions in braces.
  bool Parse(Nodes& parts) {
    while (pos_ < text_.size()) {
      const std::size_t brace = std::min(text_.find('{', pos_), text_.size());
      if (brace > pos_) parts.push_back({.type = Type::kText, .constant = text_.substr(pos_, brace - pos_)});
      pos_ = brace + 1;
      if (brace == text_.size()) return true;
      Nodes& action = parts.emplace_back().nodes;
      bool closed = false;
      while (!closed) {
        if (!ParseStep(action, closed)) return false;
      }
    }
    return true;
  }

  std::string TakeError() { return std::move(error_); }

 private:
  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  char32_t Peek() const {
    std::size_t position = pos_;
    return position < text_.size() ? base::NextCodePoint(text_, position) : kEnd;
  }
  char32_t Next() { return pos_ < text_.size() ? base::NextCodePoint(text_, pos_) : kEnd; }
  bool Skip(std::string_view prefix) {
    if (!std::string_view(text_).substr(pos_).starts_with(prefix)) return false;
    pos_ += prefix.size();
    return true;
  }
  std::string From(std::size_t begin) const { return text_.substr(begin, pos_ - begin); }

  // One step of the action that `action` collects.
  bool ParseStep(Nodes& action, bool& closed) {
    if (Skip("}")) {
      closed = true;
      return true;
    }
    if (Skip("[?(")) return ParseFilter(action);
    if (Skip("..")) return ParseRecursive(action);
    const std::size_t begin = pos_;
    const char32_t c = Next();
    if (c == kEnd || c == '\r' || c == '\n') return Fail("unclosed action");
    if (c == ' ' || c == '@' || c == '$') return true;
    if (c == '[') return ParseArray(action);
    if (c == '"' || c == '\'') return ParseQuote(action, begin);
    if (c == '.') return ParseField(action);
    pos_ = begin;
    if (c == '+' || c == '-' || IsDigit(c)) return ParseNumber(action);
    if (IsAlphaNumeric(c)) return ParseIdentifier(action);
    return Fail("unrecognized character in action: " + ShowCharacter(c));
  }

  // As Go's %#U.
  static std::string ShowCharacter(char32_t c) {
    std::array<char, 16> code{};
    std::snprintf(code.data(), code.size(), "U+%04X", static_cast<unsigned>(c));
    std::string shown = code.data();
    if (base::IsPrintable(c)) {
      shown += " '";
      base::AppendUtf8(shown, c);
      shown += '\'';
    }
    return shown;
  }

  bool ParseIdentifier(Nodes& action) {
    const std::size_t begin = pos_;
    while (!IsTerminator(Peek())) Next();
    std::string name = From(begin);
    if (name == "true" || name == "false") {
      action.push_back({.type = Type::kLiteral, .constant = name == "true"});
    } else {
      action.push_back({.type = Type::kIdentifier, .name = std::move(name)});
    }
    return true;
  }

  bool ParseRecursive(Nodes& action) {
    if (!action.empty() && action.back().type == Type::kRecursive)
      return Fail("invalid multiple recursive descent");
    action.push_back({.type = Type::kRecursive});
    return !IsAlphaNumeric(Peek()) || ParseField(action);
  }

  bool ParseNumber(Nodes& action) {
    const std::size_t begin = pos_;
    if (Peek() == '+' || Peek() == '-') Next();
    while (Peek() == '.' || IsDigit(Peek())) Next();
    const std::string text = From(begin);
    const std::string_view digits = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
    if (const auto integer = base::ParseInt64(digits); integer) {
      action.push_back({.type = Type::kLiteral, .constant = *integer});
      return true;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
      return Fail("cannot parse number " + text);
    action.push_back({.type = Type::kLiteral, .constant = number});
    return true;
  }

  bool ParseField(Nodes& action) {
    const std::size_t begin = pos_;
    while (true) {
      const char32_t c = Peek();
      if (IsTerminator(c)) break;
      Next();
      if (c == '\\') Next();
    }
    std::string name = From(begin);
    if (name == "*") {
      action.push_back({.type = Type::kWildcard});
      return true;
    }
    std::erase(name, '\\');
    action.push_back({.type = Type::kField, .name = std::move(name)});
    return true;
  }

  bool ParseArray(Nodes& action) {
    const std::size_t begin = pos_;
    for (char32_t c = Next(); c != ']'; c = Next()) {
      if (c == kEnd || c == '\n') return Fail("unterminated array");
    }
    std::string text = text_.substr(begin, pos_ - 1 - begin);
    if (text == "*") text = ":";
    if (text.find(',') != std::string::npos) return ParseUnion(action, text);
    const bool quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
    if (quoted && std::count(text.begin(), text.end(), '\'') == 2) {
      // A quoted name goes through the same rules again: dots in it need their backslash still.
      return ParseInner("." + text.substr(1, text.size() - 2), action);
    }
    auto range = ParseRange(text);
    if (!range) return Fail(std::move(range.error().message));
    action.push_back(*std::move(range));
    return true;
  }

  bool ParseUnion(Nodes& action, std::string_view text) {
    Node node{.type = Type::kUnion};
    for (std::string_view part : base::Split(text, ',')) {
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      if (!ParseInner("[" + std::string(part) + "]", node.nodes.emplace_back().nodes)) return false;
    }
    action.push_back(std::move(node));
    return true;
  }

  // Appends the steps of an action of its own.
  bool ParseInner(const std::string& text, Nodes& action) {
    Parser inner("{" + text + "}");
    Nodes parts;
    if (!inner.Parse(parts)) return Fail(inner.TakeError());
    std::move(parts[0].nodes.begin(), parts[0].nodes.end(), std::back_inserter(action));
    return true;
  }

  bool ParseFilter(Nodes& action) {
    const std::size_t begin = pos_;
    char32_t quote = 0;
    bool ended = false;  // the quoted text
    while (true) {
      const char32_t c = Next();
      if (c == kEnd || c == '\n') return Fail("unterminated filter");
      if (c == '"' || c == '\'') {
        if (quote == 0) {
          quote = c;
        } else if (c == quote && text_[pos_ - 2] != '\\') {
          ended = true;
        }
      } else if (c == ')' && (quote == 0 || ended)) {
        break;
      }
    }
    const std::string text = text_.substr(begin, pos_ - 1 - begin);
    if (Next() != ']') return Fail("unclosed array expect ]");
    return ParseCondition(text, action);
  }

  // "LEFT OPERATOR RIGHT", or just LEFT, which asks whether it exists.
  bool ParseCondition(const std::string& text, Nodes& action) {
    constexpr std::string_view kOperators = "!<>=";
    Node node{.type = Type::kFilter, .name = "exists"};
    const std::size_t op = std::min(text.find_first_of(kOperators), text.size());
    std::size_t right = std::min(text.find_first_not_of(kOperators, op), text.size());
    // Something must be on the right side, be it the operator's last character.
    if (right == text.size() && right > op + 1) --right;
    if (op == 0 || right >= text.size()) {
      if (!ParseInner(text, node.nodes.emplace_back().nodes)) return false;
    } else {
      node.name = text.substr(op, right - op);
      if (!ParseInner(text.substr(0, op), node.nodes.emplace_back().nodes)) return false;
      if (!ParseInner(text.substr(right), node.nodes.emplace_back().nodes)) return false;
    }
    action.push_back(std::move(node));
    return true;
  }

  // `begin` is where the quote is that was read.
  bool ParseQuote(Nodes& action, std::size_t begin) {
    const char quote = text_[begin];
    while (true) {
      const char32_t c = Next();
      if (c == kEnd || c == '\n') return Fail("unterminated quoted string");
      if (c == static_cast<unsigned char>(quote) && text_[pos_ - 2] != '\\') break;
    }
    const std::string source = From(begin);
    std::string text;
    if (!Unquote(std::string_view(source).substr(1, source.size() - 2), quote, text)) {
      return Fail("unquote string " + source + " error invalid syntax");
    }
    action.push_back({.type = Type::kText, .constant = std::move(text)});
    return true;
  }

  // The escapes of Go's string literals.
  static bool Unquote(std::string_view source, char quote, std::string& text) {
    while (!source.empty()) {
      if (source[0] == quote) return false;
      if (source[0] != '\\') {
        text += source[0];
        source.remove_prefix(1);
        continue;
      }
      source.remove_prefix(1);
      if (source.empty()) return false;
      const char c = source[0];
      if (c >= '0' && c <= '7') {
        if (!UnquoteNumber(source, 3, 8, text)) return false;
        continue;
      }
      source.remove_prefix(1);
      constexpr std::string_view kNames = "abfnrtv\\";
      constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
      if (const auto simple = kNames.find(c); simple != std::string_view::npos) {
        text += kMeanings[simple];
      } else if (c == '"' || c == '\'') {
        if (c != quote) return false;
        text += c;
      } else if (c == 'x' || c == 'u' || c == 'U') {
        if (!UnquoteNumber(source, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16, text)) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  static bool UnquoteNumber(std::string_view& source, std::size_t digits, int radix, std::string& text) {
    if (source.size() < digits) return false;
    std::uint32_t number = 0;
    const char* end = source.data() + digits;
    if (std::from_chars(source.data(), end, number, radix).ptr != end) return false;
    source.remove_prefix(digits);
    if (digits <= 3) {
      // A byte, also where it makes no UTF-8.
      if (number > 0xFF) return false;
      text += static_cast<char>(static_cast<unsigned char>(number));
      return true;
    }
    if (number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return false;
    base::AppendUtf8(text, number);
    return true;
  }

  const std::string text_;
  std::size_t pos_ = 0;
  std::string error_;
};

}  // namespace

base::Result<Nodes> ParseJsonPathTemplate(std::string_view text) {
  Parser parser{std::string(text)};
  Nodes parts;
  if (!parser.Parse(parts)) return base::Error(base::Reason::kInvalid, parser.TakeError());
  return parts;
}

}  // namespace annex::json
