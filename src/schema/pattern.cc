#include "annex/schema/pattern.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <re2/re2.h>

namespace annex::schema {
namespace {

// What an expression may take in memory, used only as needed; a third of it is for matching, without which
// that is slower but still linear. The larger one, for programs that do not fit, admits about as many
// instructions as Go does.
constexpr std::int64_t kMemory = 2LL * 1024 * 1024;
constexpr std::int64_t kLargestMemory = 64LL * 1024 * 1024;

// Go's words for the kinds of mistakes (regexp/syntax).
std::string_view GoWords(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::NoError:
    case re2::RE2::ErrorInternal:
      return "regexp/syntax: internal error";
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
  }
  return "regexp/syntax: internal error";
}

std::string ErrorText(std::string_view words, std::string_view part) {
  std::string text = "error parsing regexp: ";
  text.append(words).append(": `").append(part).append("`");
  return text;
}

// Rewrites an expression for RE2, or says what Go refuses. Knows just enough of the syntax to tell an
// operator from quoted text.
class Translator {
 public:
  explicit Translator(std::string_view text) : text_(text) {}

  bool Translate() {
    while (position_ < text_.size()) {
      if (Rest().starts_with("\\Q")) {
        CopyThrough("\\E");
      } else if (Rest().starts_with("\\C")) {
        error_ = ErrorText("invalid escape sequence", "\\C");
        return false;
      } else if (text_[position_] == '\\') {
        Copy(2);
      } else if (text_[position_] == '[') {
        CopyClass();
      } else {
        if (!CountGroups()) return false;
        if (Rest().starts_with("(?P<") || Rest().starts_with("(?<")) {
          if (!CopyGroupName()) return false;
        } else {
          Copy(1);
        }
      }
    }
    return true;
  }

  std::string& result() { return out_; }
  std::string& error() { return error_; }

 private:
  std::string_view Rest() const { return text_.substr(position_); }

  void Copy(std::size_t count) {
    out_ += text_.substr(position_, count);
    position_ += count;
  }

  // Go refuses an expression whose tree is higher than a thousand. What stands in groups is one higher.
  bool CountGroups() {
    constexpr std::size_t kHighest = 1000;
    if (text_[position_] == ')' && !groups_.empty()) {
      captures_ -= groups_.back() ? 1U : 0U;
      groups_.pop_back();
    }
    if (text_[position_] != '(') return true;
    const bool captures = !Rest().starts_with("(?") || Rest().find('<') == 2 || Rest().starts_with("(?P<");
    groups_.push_back(captures);
    captures_ += captures ? 1U : 0U;
    if (captures_ < kHighest) return true;
    error_ = ErrorText("expression nests too deeply", text_);
    return false;
  }

  // "(?P<name>" or "(?<name>". RE2 takes letters of any script into a name, Go does not.
  bool CopyGroupName() {
    const std::size_t begin = Rest().find('<') + 1;
    const auto end = Rest().find('>');
    const auto is_name = [](char character) {
      const char lower = static_cast<char>(character | 0x20);
      return (lower >= 'a' && lower <= 'z') || (character >= '0' && character <= '9') || character == '_';
    };
    const std::string_view name =
        end == std::string_view::npos ? std::string_view() : Rest().substr(begin, end - begin);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name)) {
      error_ = ErrorText("invalid named capture",
                         end == std::string_view::npos ? Rest() : Rest().substr(0, end + 1));
      return false;
    }
    out_.append("(?P<").append(name).append(">");
    position_ += end + 1;
    return true;
  }

  void CopyThrough(std::string_view end) {
    const auto found = text_.find(end, position_ + 2);
    Copy(found == std::string_view::npos ? text_.size() : found + end.size() - position_);
  }

  // "[...]": the bracket may stand first, and named classes hold brackets.
  void CopyClass() {
    Copy(1);
    if (Rest().starts_with('^')) Copy(1);
    if (Rest().starts_with(']')) Copy(1);
    while (position_ < text_.size() && text_[position_] != ']') {
      if (text_[position_] == '\\') {
        Copy(2);
      } else if (const auto end = Rest().starts_with("[:") ? Rest().find(":]", 2) : std::string_view::npos;
                 end != std::string_view::npos) {
        Copy(end + 2);
      } else {
        Copy(1);
      }
    }
    if (position_ < text_.size()) Copy(1);
  }

  const std::string_view text_;
  std::size_t position_ = 0;
  std::vector<bool> groups_;  // the open ones: whether each captures what it matches
  std::size_t captures_ = 0;  // how many of them do
  std::string out_;
  std::string error_;
};

// The part of an expression that RE2 complains about, before Translator changed it.
std::string AsWritten(std::string part, const std::string& text) {
  constexpr std::string_view kTranslated = "(?P<";
  if (text.find(part) != std::string::npos) return part;
  for (auto at = part.find(kTranslated); at != std::string::npos; at = part.find(kTranslated, at))
    part.erase(at + 2, 1);
  return part;
}

std::unique_ptr<const re2::RE2> CompileWith(const std::string& text, std::int64_t memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return std::make_unique<const re2::RE2>(text, options);
}

}  // namespace

base::Result<std::shared_ptr<const Pattern>> Pattern::Compile(const std::string& text) {
  Translator translator(text);
  if (!translator.Translate()) return base::Error(base::Reason::kInvalid, std::move(translator.error()));
  auto expression = CompileWith(translator.result(), kMemory);
  if (!expression->ok() && expression->error_code() == re2::RE2::ErrorPatternTooLarge) {
    expression = CompileWith(translator.result(), kLargestMemory);
  }
  if (!expression->ok()) {
    const auto words = GoWords(expression->error_code());
    return base::Error(base::Reason::kInvalid, ErrorText(words, AsWritten(expression->error_arg(), text)));
  }
  return std::shared_ptr<const Pattern>(new Pattern(text, std::move(expression)));
}

Pattern::Pattern(std::string text, std::unique_ptr<const re2::RE2> expression)
    : text_(std::move(text)), expression_(std::move(expression)) {}

Pattern::~Pattern() = default;

std::size_t Pattern::size() const {
  return static_cast<std::size_t>(expression_->ProgramSize());
}

bool Pattern::Matches(std::string_view text) const {
  return expression_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED,
                            nullptr, 0);
}

}  // namespace annex::schema
