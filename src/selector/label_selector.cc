#include "annex/selector/label_selector.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/json/field_error.h"
#include "annex/selector/terms.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace annex::selector {
namespace {

enum class TokenType : std::uint8_t {
  kError,
  kEnd,
  kIdentifier,
  kComma,
  kNot,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kGreater,
  kLess,
  kOpen,
  kClose,
  kIn,
  kNotIn,
};

struct Token {
  TokenType type;
  std::string text;
};

bool IsSpace(char character) {
  return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}
bool IsSymbol(char character) {
  return std::string_view("=!(),><").find(character) != std::string_view::npos;
}

bool EndsWord(char character) {
  return IsSpace(character) || IsSymbol(character) || character == '\0';
}

// What Go's strconv.ParseInt takes: a sign of either kind.
bool IsInteger(std::string_view text) {
  const bool plus = text.starts_with('+');
  return base::ParseInt64(plus ? text.substr(1) : text).has_value() && !text.starts_with("+-");
}

// Splits the text into tokens. As upstream, a NUL where a token could begin ends the text, and one behind a
// word or a symbol only ends that.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> Scan() {
    std::vector<Token> tokens;
    do tokens.push_back(Next());
    while (tokens.back().type != TokenType::kEnd);
    return tokens;
  }

 private:
  Token Next() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
    if (position_ >= text_.size() || text_[position_] == '\0') return {TokenType::kEnd, ""};
    Token token = IsSymbol(text_[position_]) ? Symbol() : Word();
    if (position_ < text_.size() && text_[position_] == '\0') ++position_;
    return token;
  }

  // Two characters where they make an operator, else one.
  Token Symbol() {
    const std::string_view two = text_.substr(position_, 2);
    for (const auto& [symbol, type] : {std::pair<std::string_view, TokenType>{"==", TokenType::kDoubleEquals},
                                       {"!=", TokenType::kNotEquals}}) {
      if (two == symbol) {
        position_ += 2;
        return {type, std::string(symbol)};
      }
    }
    const char character = text_[position_++];
    switch (character) {
      case '=':
        return {TokenType::kEquals, "="};
      case '!':
        return {TokenType::kNot, "!"};
      case '(':
        return {TokenType::kOpen, "("};
      case ')':
        return {TokenType::kClose, ")"};
      case ',':
        return {TokenType::kComma, ","};
      case '>':
        return {TokenType::kGreater, ">"};
      default:
        return {TokenType::kLess, "<"};
    }
  }

  Token Word() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && !EndsWord(text_[position_])) ++position_;
    std::string word(text_.substr(begin, position_ - begin));
    if (word == "in") return {TokenType::kIn, std::move(word)};
    if (word == "notin") return {TokenType::kNotIn, std::move(word)};
    return {TokenType::kIdentifier, std::move(word)};
  }

  const std::string_view text_;
  std::size_t position_ = 0;
};

auto Bad(std::string message) {
  return base::Error(base::Reason::kBadRequest, std::move(message));
}

base::Result<void> CheckKey(const std::string& key, const json::FieldPath& path) {
  const auto problems = base::CheckQualifiedName(key);
  if (problems.empty()) return {};
  return Bad(json::InvalidError(path, key, base::Join(problems, "; ")).Message());
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(Lexer(text).Scan()) {}

  base::Result<std::vector<TermCondition>> Parse() {
    std::vector<TermCondition> conditions;
    while (true) {
      const Token& first = Peek();
      if (first.type == TokenType::kEnd) return conditions;
      if (!BeginsRequirement(first))
        return Bad("found '" + first.text + "', expected: !, identifier, or 'end of string'");
      auto condition = Requirement();
      if (!condition) return Bad("unable to parse requirement: " + condition.error().message);
      conditions.push_back(*std::move(condition));
      const Token& next = Take();
      if (next.type == TokenType::kEnd) return conditions;
      if (next.type != TokenType::kComma)
        return Bad("found '" + next.text + "', expected: ',' or 'end of string'");
      if (!BeginsRequirement(Peek()))
        return Bad("found '" + Peek().text + "', expected: identifier after ','");
    }
  }

 private:
  // `in` and `notin` are keywords only where an operator is expected.
  static bool IsIdentifier(const Token& token) {
    return token.type == TokenType::kIdentifier || token.type == TokenType::kIn ||
           token.type == TokenType::kNotIn;
  }
  static bool BeginsRequirement(const Token& token) {
    return IsIdentifier(token) || token.type == TokenType::kNot;
  }

  const Token& Peek() const { return tokens_[std::min(position_, tokens_.size() - 1)]; }
  const Token& Take() {
    const Token& token = Peek();
    ++position_;
    return token;
  }

  base::Result<TermCondition> Requirement() {
    const bool negated = Peek().type == TokenType::kNot;
    if (negated) Take();
    const Token& key = Take();
    if (!IsIdentifier(key)) return Bad("found '" + key.text + "', expected: identifier");
    ANNEX_RETURN_IF_ERROR(CheckKey(key.text, json::FieldPath()));
    const bool ends = Peek().type == TokenType::kEnd || Peek().type == TokenType::kComma;
    if (ends || negated) {
      return TermCondition{LabelTerm(key.text), negated ? Operator::kNotExists : Operator::kExists, {}};
    }
    ANNEX_TRY(TermCondition condition, OperatorAndValues());
    ANNEX_RETURN_IF_ERROR(CheckValues(key.text, condition));
    condition.name = LabelTerm(key.text);
    return condition;
  }

  base::Result<TermCondition> OperatorAndValues() {
    const Token& token = Take();
    Operator op = Operator::kIn;
    switch (token.type) {
      case TokenType::kIn:
      case TokenType::kNotIn: {
        ANNEX_TRY(auto values, Values());
        return TermCondition{"", token.type == TokenType::kIn ? Operator::kIn : Operator::kNotIn,
                             std::move(values)};
      }
      case TokenType::kEquals:
      case TokenType::kDoubleEquals:
        break;
      case TokenType::kNotEquals:
        op = Operator::kNotIn;
        break;
      case TokenType::kGreater:
        op = Operator::kGreater;
        break;
      case TokenType::kLess:
        op = Operator::kLess;
        break;
      case TokenType::kError:
      case TokenType::kEnd:
      case TokenType::kIdentifier:
      case TokenType::kComma:
      case TokenType::kNot:
      case TokenType::kOpen:
      case TokenType::kClose:
        return Bad("found '" + token.text + "', expected: in, notin, =, ==, !=, gt, lt");
    }
    ANNEX_TRY(auto value, ExactValue());
    return TermCondition{"", op, {std::move(value)}};
  }

  base::Result<std::string> ExactValue() {
    if (Peek().type == TokenType::kEnd || Peek().type == TokenType::kComma) return std::string();
    const Token& token = Take();
    if (!IsIdentifier(token)) return Bad("found '" + token.text + "', expected: identifier");
    return token.text;
  }

  // "(a,b)"; an empty place between commas is the empty value.
  base::Result<std::vector<std::string>> Values() {
    const Token& open = Take();
    if (open.type != TokenType::kOpen) return Bad("found '" + open.text + "' expected: '('");
    std::vector<std::string> values;
    if (Peek().type == TokenType::kClose) {
      Take();
      return std::vector<std::string>{""};
    }
    if (!IsIdentifier(Peek()) && Peek().type != TokenType::kComma) {
      return Bad("found '" + Peek().text + "', expected: ',', ')' or identifier");
    }
    ANNEX_TRY(values, Identifiers());
    Take();  // the ')' at which they end
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  // "a,b" up to the ')'. Upstream's parser takes an empty place, but not three of them in a row.
  base::Result<std::vector<std::string>> Identifiers() {
    std::vector<std::string> values;
    while (true) {
      const Token& token = Take();
      if (IsIdentifier(token)) {
        values.push_back(token.text);
        if (Peek().type == TokenType::kClose) return values;
        if (Peek().type != TokenType::kComma) return Bad("found '" + Peek().text + "', expected: ',' or ')'");
        continue;
      }
      if (token.type != TokenType::kComma)
        return Bad("found '" + token.text + "', expected: ',', or identifier");
      if (values.empty()) values.emplace_back();
      if (Peek().type == TokenType::kComma) {
        Take();
        values.emplace_back();
      } else if (Peek().type == TokenType::kClose) {
        values.emplace_back();
        return values;
      }
    }
  }

  static base::Result<void> CheckValues(const std::string& key, const TermCondition& condition) {
    std::vector<std::string> messages;
    const json::FieldPath path("values");
    const bool compares = condition.op == Operator::kGreater || condition.op == Operator::kLess;
    for (std::size_t i = 0; i < condition.values.size(); ++i) {
      const std::string& value = condition.values[i];
      if (compares && !IsInteger(value)) {
        messages.push_back(
            json::InvalidError(path.Index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer")
                .Message());
      }
    }
    for (std::size_t i = 0; i < condition.values.size(); ++i) {
      const std::string& value = condition.values[i];
      if (const auto problems = base::CheckLabelValue(value); !problems.empty()) {
        messages.push_back(
            json::InvalidError(path.Index(i).Key(key), value, base::Join(problems, "; ")).Message());
      }
    }
    if (messages.empty()) return {};
    // Several errors show as Go's aggregate does.
    return Bad(messages.size() == 1 ? messages[0] : "[" + base::Join(messages, ", ") + "]");
  }

  const std::vector<Token> tokens_;
  std::size_t position_ = 0;
};

}  // namespace

base::Result<std::vector<TermCondition>> ParseLabelSelector(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace annex::selector
