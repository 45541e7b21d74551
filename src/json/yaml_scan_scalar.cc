// The parts of YamlScanner for scalars: block ("|", ">"), quoted and plain ones.
#include "annex/base/strings.h"
#include "yaml_scanner.h"

#include <algorithm>
#include <utility>

namespace annex::json {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// How lines of a flow scalar and of a folded block join: one break is a space, more are breaks less one.
void AppendFolded(std::string& out, std::string_view first_break, std::string_view more_breaks) {
  if (first_break == "\n") {
    out += more_breaks.empty() ? " " : more_breaks;
  } else {
    out.append(first_break).append(more_breaks);
  }
}

}  // namespace

void YamlScanner::Gap::AddBreak(std::string_view text) {
  if (broken) {
    more_breaks += text;
    return;
  }
  spaces.clear();
  first_break = text;
  broken = true;
}

void YamlScanner::Gap::MoveTo(std::string& out) {
  if (broken) {
    AppendFolded(out, first_break, more_breaks);
  } else {
    out += spaces;
  }
  broken = false;
  spaces.clear();
  first_break.clear();
  more_breaks.clear();
}

// ---- Block scalars

bool YamlScanner::FetchBlockScalar(bool literal) {
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = true;
  Token& token = Push(Kind::kScalar, mark_);
  Skip();
  int increment = 0;
  char chomping = ' ';
  if (!ScanBlockHeader(increment, chomping)) return false;
  int indent = increment == 0 ? 0 : std::max(indent_, 0) + increment;
  std::string first_break;
  std::string more_breaks;
  if (!ScanBlockBreaks(indent, more_breaks)) return false;
  bool after_blank = false;  // the line before begins with white space, so its end is not folded
  std::string& out = token.text;
  while (mark_.column == indent && !AtEnd()) {
    const bool blank = AtBlank();
    if (!literal && !after_blank && !blank && first_break == "\n") {
      AppendFolded(out, first_break, more_breaks);
    } else {
      out.append(first_break).append(more_breaks);
    }
    more_breaks.clear();
    after_blank = blank;
    const std::size_t begin = pos_;
    while (!AtEnd() && !AtBreak()) Skip();
    out.append(text_, begin, pos_ - begin);
    first_break = AtEnd() ? "" : ReadBreak();
    if (!ScanBlockBreaks(indent, more_breaks)) return false;
  }
  if (chomping != '-') out += first_break;
  if (chomping == '+') out += more_breaks;
  return true;
}

// "|2-  # comment": indentation and chomping in either order.
bool YamlScanner::ScanBlockHeader(int& increment, char& chomping) {
  for (int i = 0; i < 2; ++i) {
    if ((At() == '+' || At() == '-') && chomping == ' ') {
      chomping = At();
      Skip();
    } else if (IsDigit(At()) && increment == 0) {
      if (At() == '0') return Fail("found an indentation indicator equal to 0");
      increment = At() - '0';
      Skip();
    }
  }
  SkipBlanks();
  SkipComment();
  if (!AtEnd() && !AtBreak()) return Fail("did not find expected comment or line break");
  if (!AtEnd()) ReadBreak();
  return true;
}

// Empty lines and the indentation of the next line with content. That line sets `indent` where it is still
// unknown (0).
bool YamlScanner::ScanBlockBreaks(int& indent, std::string& breaks) {
  int deepest = 0;
  while (true) {
    while ((indent == 0 || mark_.column < indent) && At() == ' ') Skip();
    deepest = std::max(deepest, mark_.column);
    if ((indent == 0 || mark_.column < indent) && At() == '\t') {
      return Fail("found a tab character where an indentation space is expected");
    }
    if (!AtBreak()) break;
    breaks += ReadBreak();
  }
  if (indent == 0) indent = std::max({deepest, indent_ + 1, 1});
  return true;
}

// ---- Quoted scalars

bool YamlScanner::FetchQuoted(char quote) {
  if (!SaveSimpleKey()) return false;
  simple_key_allowed_ = false;
  std::string& out = Push(Kind::kScalar, mark_).text;
  Skip();
  Gap gap;
  while (true) {
    if (AtDocumentIndicator()) return Fail("found unexpected document indicator");
    if (AtEnd()) return Fail("found unexpected end of stream");
    if (!ScanQuotedWord(quote, out, gap)) return false;
    if (At() == quote) break;
    while (AtBlank() || AtBreak()) {
      if (AtBreak()) {
        gap.AddBreak(ReadBreak());
        continue;
      }
      if (!gap.broken) gap.spaces += At();
      Skip();
    }
    gap.MoveTo(out);
  }
  Skip();
  return true;
}

// Everything up to white space or the closing quote. An escaped line break ends a word too: it joins lines
// without a space.
bool YamlScanner::ScanQuotedWord(char quote, std::string& out, Gap& gap) {
  while (!AtSpaceOrEnd()) {
    const char c = At();
    if (quote == '\'' && c == '\'' && At(1) == '\'') {
      out += '\'';
      Skip(2);
    } else if (c == quote) {
      return true;
    } else if (quote == '"' && c == '\\') {
      if (AtBreak(1)) {
        Skip();
        ReadBreak();
        gap.broken = true;
        return true;
      }
      if (!ScanEscape(out)) return false;
    } else {
      const std::size_t begin = pos_;
      Skip();
      out.append(text_, begin, pos_ - begin);
    }
  }
  return true;
}

bool YamlScanner::ScanEscape(std::string& out) {
  switch (At(1)) {
    case '0':
      out += '\0';
      break;
    case 'a':
      out += '\a';
      break;
    case 'b':
      out += '\b';
      break;
    case 't':
    case '\t':
      out += '\t';
      break;
    case 'n':
      out += '\n';
      break;
    case 'v':
      out += '\v';
      break;
    case 'f':
      out += '\f';
      break;
    case 'r':
      out += '\r';
      break;
    case 'e':
      out += '\x1B';
      break;
    case ' ':
      out += ' ';
      break;
    case '"':
      out += '"';
      break;
    case '\'':
      out += '\'';
      break;
    case '\\':
      out += '\\';
      break;
    case 'N':
      base::AppendUtf8(out, 0x85);
      break;
    case '_':
      base::AppendUtf8(out, 0xA0);
      break;
    case 'L':
      base::AppendUtf8(out, 0x2028);
      break;
    case 'P':
      base::AppendUtf8(out, 0x2029);
      break;
    case 'x':
      return ScanHexEscape(2, out);
    case 'u':
      return ScanHexEscape(4, out);
    case 'U':
      return ScanHexEscape(8, out);
    default:
      return Fail("found unknown escape character");
  }
  Skip(2);
  return true;
}

bool YamlScanner::ScanHexEscape(std::size_t digits, std::string& out) {
  Skip(2);
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = At(i);
    const char lower = static_cast<char>(c | 0x20);
    if (IsDigit(c)) {
      value = (value << 4U) + static_cast<std::uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = (value << 4U) + static_cast<std::uint32_t>(lower - 'a' + 10);
    } else {
      return Fail("did not find expected hexdecimal number");
    }
  }
  if ((value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) {
    return Fail("found invalid Unicode character escape code");
  }
  base::AppendUtf8(out, value);
  Skip(digits);
  return true;
}

// ---- Plain scalars

bool YamlScanner::AtPlainEnd() const {
  const char c = At();
  if (c == ':') return AtSpaceOrEnd(1);
  constexpr std::string_view kFlowIndicators = ",?[]{}";
  return InFlow() && kFlowIndicators.find(c) != std::string_view::npos;
}

bool YamlScanner::FetchPlain() {
  if (!SaveSimpleKey()) return false;
  simple_key_allowed_ = false;
  Token& token = Push(Kind::kScalar, mark_);
  token.plain = true;
  Gap gap;
  const int indent = indent_ + 1;
  while (!AtDocumentIndicator() && At() != '#') {
    if (!AtSpaceOrEnd() && !AtPlainEnd()) {
      gap.MoveTo(token.text);
      const std::size_t begin = pos_;
      while (!AtSpaceOrEnd() && !AtPlainEnd()) Skip();
      token.text.append(text_, begin, pos_ - begin);
    }
    if (AtEnd() || !AtSpaceOrEnd()) break;
    while (AtBlank() || AtBreak()) {
      if (AtBreak()) {
        gap.AddBreak(ReadBreak());
        continue;
      }
      if (gap.broken && mark_.column < indent && At() == '\t') {
        return Fail("found a tab character that violates indentation");
      }
      if (!gap.broken) gap.spaces += At();
      Skip();
    }
    if (!InFlow() && mark_.column < indent) break;
  }
  if (gap.broken) simple_key_allowed_ = true;
  return true;
}

}  // namespace annex::json
