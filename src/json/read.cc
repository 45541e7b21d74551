#include "annex/json/read.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace annex::json {
namespace {

// More complaints than this help nobody and would let a body grow without bound.
constexpr std::size_t kMaxReportedDuplicates = 100;

constexpr std::array<bool, 256> kPlainInString = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0x20; i < 0x80; ++i) table[i] = i != '"' && i != '\\';
  return table;
}();

bool IsDigit(char character) {
  return character >= '0' && character <= '9';
}

// Reads without recursion: a container that is open lies on `stack_`, so depth costs heap and not the
// thread's stack.
class Reader {
 public:
  Reader(std::string_view text, ReadReport* report) : text_(text), report_(report) {}

  base::Result<Value> Read() {
    Value document;
    if (!ReadValueInto(document)) return base::Error(base::Reason::kBadRequest, std::move(error_));
    while (!stack_.empty()) {
      if (!ReadNextMember()) return base::Error(base::Reason::kBadRequest, std::move(error_));
    }
    SkipSpace();
    if (position_ < text_.size()) {
      FailAt("after top-level value");
      return base::Error(base::Reason::kBadRequest, std::move(error_));
    }
    return document;
  }

 private:
  struct Frame {
    Value* container;
    const std::string* key;  // of the member being read; nullptr in an array
    bool begun;              // whether a member came before
  };

  void SkipSpace() {
    while (position_ < text_.size()) {
      const char character = text_[position_];
      if (character != ' ' && character != '\n' && character != '\t' && character != '\r') return;
      ++position_;
    }
  }

  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  // "invalid character 'x' WHERE", or the end of the text.
  bool FailAt(std::string_view where) {
    if (position_ >= text_.size()) return Fail("unexpected end of JSON input");
    const auto byte = static_cast<unsigned char>(text_[position_]);
    std::string shown;
    if (byte == '\'') {
      shown = "\\'";
    } else if (byte == '"') {
      shown = "\"";
    } else {
      base::AppendUtf8(shown, byte);
      shown = base::Quote(shown);
      shown = shown.substr(1, shown.size() - 2);
    }
    return Fail("invalid character '" + shown + "' " + std::string(where));
  }

  // The next member of the innermost container, or its end.
  bool ReadNextMember() {
    SkipSpace();
    Frame& frame = stack_.back();
    const bool object = frame.container->is_object();
    const char close = object ? '}' : ']';
    if (position_ < text_.size() && text_[position_] == close) {
      ++position_;
      stack_.pop_back();
      return true;
    }
    if (frame.begun) {
      if (position_ >= text_.size() || text_[position_] != ',') {
        return FailAt(object ? "after object key:value pair" : "after array element");
      }
      ++position_;
      SkipSpace();
    }
    frame.begun = true;
    return object ? ReadObjectMember() : ReadArrayItem();
  }

  bool ReadArrayItem() {
    auto& items = stack_.back().container->get_ref<Value::array_t&>();
    return ReadValueInto(items.emplace_back());
  }

  bool ReadObjectMember() {
    if (position_ >= text_.size() || text_[position_] != '"') {
      return FailAt("looking for beginning of object key string");
    }
    std::string key;
    if (!ReadString(key)) return false;
    SkipSpace();
    if (position_ >= text_.size() || text_[position_] != ':') return FailAt("after object key");
    ++position_;
    auto& members = stack_.back().container->get_ref<Value::object_t&>();
    // Documents mostly come with their keys in order: the end is the right hint then.
    const std::size_t size_before = members.size();
    const auto member = members.try_emplace(members.end(), std::move(key));
    stack_.back().key = &member->first;
    if (members.size() == size_before) {
      ReportDuplicate();
      member->second = Value();
    }
    return ReadValueInto(member->second);
  }

  void ReportDuplicate() {
    if (report_ == nullptr || report_->duplicate_fields.size() >= kMaxReportedDuplicates) return;
    std::string path;
    for (const Frame& frame : stack_) {
      if (frame.key != nullptr) {
        if (!path.empty()) path += '.';
        path += *frame.key;
      } else {
        path += '[' + std::to_string(frame.container->size() - 1) + ']';
      }
    }
    auto& found = report_->duplicate_fields;
    if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(std::move(path));
  }

  bool ReadValueInto(Value& value) {
    SkipSpace();
    if (position_ >= text_.size()) return FailAt("looking for beginning of value");
    switch (text_[position_]) {
      case '{':
        return Open(value, Value::value_t::object);
      case '[':
        return Open(value, Value::value_t::array);
      case '"': {
        value = std::string();
        return ReadString(value.get_ref<std::string&>());
      }
      case 't':
        value = true;
        return ReadWord("true");
      case 'f':
        value = false;
        return ReadWord("false");
      case 'n':
        value = nullptr;
        return ReadWord("null");
      default:
        return ReadNumber(value);
    }
  }

  bool Open(Value& value, Value::value_t type) {
    if (stack_.size() >= kMaxDepth) return FailAt("exceeded max depth");
    ++position_;
    value = type;
    stack_.push_back({&value, nullptr, false});
    return true;
  }

  bool ReadWord(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i, ++position_) {
      if (position_ >= text_.size() || text_[position_] != word[i]) {
        return FailAt("in literal " + std::string(word) + " (expecting '" + word[i] + "')");
      }
    }
    return true;
  }

  bool ReadDigits(std::string_view where) {
    if (position_ >= text_.size() || !IsDigit(text_[position_])) return FailAt(where);
    while (position_ < text_.size() && IsDigit(text_[position_])) ++position_;
    return true;
  }

  bool AtOneOf(char a, char b) const {
    return position_ < text_.size() && (text_[position_] == a || text_[position_] == b);
  }

  bool ReadNumber(Value& value) {
    const std::size_t begin = position_;
    const bool negative = AtOneOf('-', '-');
    if (negative) ++position_;
    if (AtOneOf('0', '0')) {
      ++position_;
    } else if (!ReadDigits(negative ? "in numeric literal" : "looking for beginning of value")) {
      return false;
    }
    bool whole = true;
    if (AtOneOf('.', '.')) {
      whole = false;
      ++position_;
      if (!ReadDigits("after decimal point in numeric literal")) return false;
    }
    if (AtOneOf('e', 'E')) {
      whole = false;
      ++position_;
      if (AtOneOf('+', '-')) ++position_;
      if (!ReadDigits("in exponent of numeric literal")) return false;
    }
    return SetNumber(text_.substr(begin, position_ - begin), whole, value);
  }

  bool SetNumber(std::string_view literal, bool whole, Value& value) {
    if (whole) {
      if (const auto integer = base::ParseInt64(literal)) {
        value = *integer;
        return true;
      }
    }
    double number = 0;
    const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), number);
    // A magnitude too small for a double is zero, as in Go; one too large is an error.
    if (error == std::errc::result_out_of_range && literal.find("e-") == std::string_view::npos &&
        literal.find("E-") == std::string_view::npos) {
      std::string problem =
          "json: cannot unmarshal number " + std::string(literal) + " into Go value of type float64";
      if (report_ == nullptr) return Fail(std::move(problem));
      if (report_->out_of_range.empty()) report_->out_of_range = std::move(problem);
      value = 0;
      return true;
    }
    value = number;
    return true;
  }

  bool ReadString(std::string& out) {
    ++position_;
    while (true) {
      const std::size_t begin = position_;
      while (position_ < text_.size() && kPlainInString[static_cast<unsigned char>(text_[position_])])
        ++position_;
      out.append(text_, begin, position_ - begin);
      if (position_ >= text_.size()) return FailAt("in string literal");
      const auto byte = static_cast<unsigned char>(text_[position_]);
      if (byte == '"') {
        ++position_;
        return true;
      }
      if (byte == '\\') {
        if (!ReadEscape(out)) return false;
      } else if (byte < 0x20) {
        return FailAt("in string literal");
      } else {
        base::AppendUtf8(out, base::NextCodePoint(text_, position_));
      }
    }
  }

  bool ReadEscape(std::string& out) {
    ++position_;
    if (position_ >= text_.size()) return FailAt("in string escape code");
    switch (text_[position_]) {
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case '/':
        out += '/';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        ++position_;
        char32_t code_point = 0;
        if (!ReadHex(code_point)) return false;
        base::AppendUtf8(out, JoinSurrogates(code_point));
        return true;
      }
      default:
        return FailAt("in string escape code");
    }
    ++position_;
    return true;
  }

  bool ReadHex(char32_t& code_point) {
    for (int i = 0; i < 4; ++i, ++position_) {
      const char character = position_ < text_.size() ? text_[position_] : '\0';
      const char lower = static_cast<char>(character | 0x20);
      if (IsDigit(character)) {
        code_point = code_point * 16 + static_cast<char32_t>(character - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        code_point = code_point * 16 + static_cast<char32_t>(lower - 'a' + 10);
      } else {
        return FailAt("in \\u hexadecimal character escape");
      }
    }
    return true;
  }

  // A high surrogate takes the low one that follows it; without a partner each is U+FFFD.
  char32_t JoinSurrogates(char32_t first) {
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first >= 0xDC00 || text_.substr(position_, 2) != "\\u") return 0xFFFD;
    char32_t second = 0;
    const std::size_t begin = position_;
    position_ += 2;
    if (ReadHex(second) && second >= 0xDC00 && second <= 0xDFFF) {
      return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
    }
    error_.clear();
    position_ = begin;  // the other escape is read for itself
    return 0xFFFD;
  }

  const std::string_view text_;
  ReadReport* const report_;
  std::size_t position_ = 0;
  std::vector<Frame> stack_;
  std::string error_;
};

}  // namespace

base::Result<Value> Parse(std::string_view text, ReadReport* report) {
  return Reader(text, report).Read();
}

}  // namespace annex::json
