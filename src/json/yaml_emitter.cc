#include "yaml_emitter.h"

#include "annex/base/strings.h"
#include "yaml_scalar.h"

#include <algorithm>
#include <array>
#include <string>

namespace annex::json {
namespace {

constexpr int kIndent = 2;  // also the digit in WriteLiteral
constexpr int kWidth = 80;
// A longer key is written with "? " and may be folded.
constexpr std::size_t kMaxSimpleKeyBytes = 128;

unsigned char ByteAt(std::string_view text, std::size_t position) {
  return position < text.size() ? static_cast<unsigned char>(text[position]) : 0;
}

std::size_t WidthAt(std::string_view text, std::size_t position) {
  const unsigned char lead = ByteAt(text, position);
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

bool IsBreak(std::string_view text, std::size_t position) {
  const unsigned char lead = ByteAt(text, position);
  if (lead == '\n' || lead == '\r') return true;
  if (lead == 0xC2) return ByteAt(text, position + 1) == 0x85;
  const unsigned char last = ByteAt(text, position + 2);
  return lead == 0xE2 && ByteAt(text, position + 1) == 0x80 && (last == 0xA8 || last == 0xA9);
}

bool IsSpace(std::string_view text, std::size_t position) {
  return ByteAt(text, position) == ' ';
}

bool IsBlank(std::string_view text, std::size_t position) {
  return IsSpace(text, position) || ByteAt(text, position) == '\t';
}

// libyaml knows no printable characters beyond 16 bits: emoji are escaped.
bool IsPrintable(std::string_view text, std::size_t position) {
  const unsigned char lead = ByteAt(text, position);
  const unsigned char second = ByteAt(text, position + 1);
  if (lead < 0x80) return lead == '\n' || (lead >= 0x20 && lead <= 0x7E);
  if (lead == 0xC2) return second >= 0xA0;
  if (lead == 0xED) return second < 0xA0;
  if (lead != 0xEF) return lead <= 0xEE;
  const unsigned char third = ByteAt(text, position + 2);
  return !(second == 0xBB && third == 0xBF) && !(second == 0xBF && (third == 0xBE || third == 0xBF));
}

bool IsOneOf(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)? is a number to other YAML readers, so it is quoted.
bool LooksSexagesimal(std::string_view text) {
  const auto is_digit = [&](std::size_t at) { return ByteAt(text, at) >= '0' && ByteAt(text, at) <= '9'; };
  std::size_t position = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (!is_digit(position)) return false;
  while (is_digit(position) || ByteAt(text, position) == '_') ++position;
  bool has_colon = false;
  while (ByteAt(text, position) == ':' && is_digit(position + 1)) {
    has_colon = true;
    const bool two = ByteAt(text, position + 1) <= '5' && is_digit(position + 2);
    position += two ? 3 : 2;
  }
  if (!has_colon) return false;
  if (ByteAt(text, position) == '.') {
    ++position;
    while (is_digit(position) || ByteAt(text, position) == '_') ++position;
  }
  return position == text.size();
}

}  // namespace

// ---- Layout

bool YamlEmitter::Fits(std::size_t lines) const {
  // Ordinary documents have about as much indentation as other text.
  constexpr std::size_t kFree = 32UL * 1024 * 1024;
  constexpr std::size_t kRatio = 8;
  const auto indent = static_cast<std::size_t>(std::max(indent_, 0) + kIndent);
  return indentation_bytes_ + lines * indent <= kFree + kRatio * (text_.size() - indentation_bytes_);
}

int YamlEmitter::IndentMapping() {
  const int outer = indent_;
  indent_ = outer < 0 ? 0 : outer + kIndent;
  return outer;
}

// The dashes of a sequence stand right below the key that it belongs to.
int YamlEmitter::IndentSequence(Context context) {
  if (context == Context::kMapping && !indention_) return indent_;
  return IndentMapping();
}

void YamlEmitter::WriteKey(std::string_view key) {
  WriteIndent();
  const bool simple = key.size() <= kMaxSimpleKeyBytes && !Analyze(key).multiline;
  if (simple) {
    WriteScalar(key, ChooseStyle(key, true), false);
    WriteIndicator(":", false, false);
  } else {
    WriteIndicator("?", true, true);
    WriteScalar(key, ChooseStyle(key, false), true);
    WriteIndent();
    WriteIndicator(":", true, true);
  }
}

void YamlEmitter::WriteDash() {
  WriteIndent();
  WriteIndicator("-", true, true);
}

void YamlEmitter::WritePlain(std::string_view text) {
  WriteScalar(text, Style::kPlain, true);
}

void YamlEmitter::WriteString(std::string_view text) {
  WriteScalar(text, ChooseStyle(text, false), true);
}

void YamlEmitter::WriteFlow(std::string_view text) {
  WriteIndicator(text, true, false);
}

void YamlEmitter::Put(char c) {
  text_ += c;
  ++column_;
}

void YamlEmitter::PutCharacter(std::string_view text, std::size_t& position) {
  const std::size_t width = WidthAt(text, position);
  text_ += text.substr(position, width);
  position += width;
  ++column_;
}

void YamlEmitter::PutBreak() {
  text_ += '\n';
  column_ = 0;
}

void YamlEmitter::WriteBreak(std::string_view text, std::size_t& position) {
  PutCharacter(text, position);
  column_ = 0;
}

void YamlEmitter::WriteIndent() {
  const int indent = std::max(indent_, 0);
  if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) PutBreak();
  if (column_ < indent) {
    const auto missing = static_cast<std::size_t>(indent - column_);
    text_.append(missing, ' ');
    indentation_bytes_ += missing;
    column_ = indent;
  }
  whitespace_ = true;
  indention_ = true;
}

void YamlEmitter::WriteIndicator(std::string_view text, bool after_space, bool keeps_indention) {
  if (after_space && !whitespace_) Put(' ');
  text_ += text;
  column_ += static_cast<int>(text.size());
  whitespace_ = false;
  indention_ = indention_ && keeps_indention;
}

// ---- Styles

YamlEmitter::Analysis YamlEmitter::Analyze(std::string_view text) {
  Analysis result;
  if (text.empty()) {
    result.literal = false;
    return result;
  }
  bool indicators = text.starts_with("---") || text.starts_with("...");
  bool special = false;
  bool space_break = false;
  bool break_space = false;
  bool after_space = false;
  bool after_break = false;
  bool after_blank = true;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t next = i + WidthAt(text, i);
    const bool before_blank = next >= text.size() || IsBlank(text, next);
    const char c = text[i];
    if (i == 0) {
      indicators |= IsOneOf(c, "#,[]{}&*!|>'\"%@`") || (IsOneOf(c, "?:-") && before_blank);
    } else {
      indicators |= (c == ':' && before_blank) || (c == '#' && after_blank);
    }
    special |= !IsPrintable(text, i);
    const bool space = IsSpace(text, i);
    const bool line_break = IsBreak(text, i);
    break_space |= space && after_break;
    space_break |= line_break && after_space;
    result.multiline |= line_break;
    after_space = space;
    after_break = line_break;
    after_blank = line_break || IsBlank(text, i);
    i = next;
  }
  const bool begins_blank = IsSpace(text, 0) || IsBreak(text, 0);
  result.plain =
      !begins_blank && !after_space && !after_break && !result.multiline && !indicators && !special;
  result.single_quoted = !break_space && !space_break && !special;
  result.literal = !after_space && !space_break && !special;
  return result;
}

YamlEmitter::Style YamlEmitter::ChooseStyle(std::string_view text, bool simple_key) const {
  const Analysis analysis = Analyze(text);
  if (const auto lines = std::count(text.begin(), text.end(), '\n'); lines > 0) {
    const bool literal = analysis.literal && !simple_key && Fits(static_cast<std::size_t>(lines));
    return literal ? Style::kLiteral : Style::kDoubleQuoted;
  }
  if (ResolveYamlScalar(text).type != YamlScalar::Type::kString || LooksSexagesimal(text)) {
    return Style::kDoubleQuoted;
  }
  if (analysis.plain) return Style::kPlain;
  return analysis.single_quoted ? Style::kSingleQuoted : Style::kDoubleQuoted;
}

// ---- Scalars

void YamlEmitter::WriteScalar(std::string_view text, Style style, bool foldable) {
  const int outer = indent_;
  indent_ = std::max(indent_, 0) + kIndent;
  foldable = foldable && Fits(static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')));
  switch (style) {
    case Style::kPlain:
      WriteUnescaped(text, false, foldable);
      break;
    case Style::kSingleQuoted:
      WriteUnescaped(text, true, foldable);
      break;
    case Style::kDoubleQuoted:
      WriteDoubleQuoted(text, foldable);
      break;
    case Style::kLiteral:
      WriteLiteral(text);
      break;
  }
  indent_ = outer;
}

// Plain or in single quotes, which are doubled within.
void YamlEmitter::WriteUnescaped(std::string_view text, bool quoted, bool foldable) {
  if (!whitespace_) Put(' ');
  if (quoted) {
    Put('\'');
    indention_ = false;
  }
  bool after_space = false;
  bool after_break = false;
  for (std::size_t i = 0; i < text.size();) {
    if (IsSpace(text, i)) {
      const bool inside = !quoted || (i > 0 && i + 1 < text.size());
      if (foldable && !after_space && column_ > kWidth && inside && !IsSpace(text, i + 1)) {
        WriteIndent();
        ++i;
      } else {
        PutCharacter(text, i);
      }
      after_space = true;
      continue;
    }
    if (IsBreak(text, i)) {
      WriteBreak(text, i);
      indention_ = true;
      after_break = true;
      continue;
    }
    if (after_break) WriteIndent();
    if (quoted && text[i] == '\'') Put('\'');
    PutCharacter(text, i);
    indention_ = false;
    after_space = false;
    after_break = false;
  }
  if (quoted) Put('\'');
  whitespace_ = false;
  indention_ = false;
}

void YamlEmitter::WriteDoubleQuoted(std::string_view text, bool foldable) {
  if (!whitespace_) Put(' ');
  Put('"');
  indention_ = false;
  // libyaml looks for a byte order mark at the beginning of the text, not at the character that it is about
  // to write.
  const bool escape_all = text.starts_with("\xEF\xBB\xBF");
  bool after_space = false;
  for (std::size_t i = 0; i < text.size();) {
    if (escape_all || !IsPrintable(text, i) || IsBreak(text, i) || text[i] == '"' || text[i] == '\\') {
      WriteEscape(text, i);
      after_space = false;
    } else if (IsSpace(text, i)) {
      if (foldable && !after_space && column_ > kWidth && i > 0 && i + 1 < text.size()) {
        WriteIndent();
        if (IsSpace(text, i + 1)) Put('\\');
        ++i;
      } else {
        PutCharacter(text, i);
      }
      after_space = true;
    } else {
      PutCharacter(text, i);
      after_space = false;
    }
  }
  Put('"');
  whitespace_ = false;
  indention_ = false;
}

void YamlEmitter::WriteEscape(std::string_view text, std::size_t& position) {
  const char32_t code_point = base::NextCodePoint(text, position);
  Put('\\');
  switch (code_point) {
    case 0x00:
      return Put('0');
    case 0x07:
      return Put('a');
    case 0x08:
      return Put('b');
    case 0x09:
      return Put('t');
    case 0x0A:
      return Put('n');
    case 0x0B:
      return Put('v');
    case 0x0C:
      return Put('f');
    case 0x0D:
      return Put('r');
    case 0x1B:
      return Put('e');
    case '"':
      return Put('"');
    case '\\':
      return Put('\\');
    case 0x85:
      return Put('N');
    case 0xA0:
      return Put('_');
    case 0x2028:
      return Put('L');
    case 0x2029:
      return Put('P');
    default:
      break;
  }
  const unsigned digits = code_point <= 0xFF ? 2 : code_point <= 0xFFFF ? 4 : 8;
  Put(digits == 2 ? 'x' : digits == 4 ? 'u' : 'U');
  for (unsigned shift = digits * 4; shift > 0; shift -= 4) {
    Put("0123456789ABCDEF"[(code_point >> (shift - 4)) & 0xFU]);
  }
}

// "|", an indentation where the text's own would mislead, and what to do with the breaks at the end.
void YamlEmitter::WriteLiteral(std::string_view text) {
  WriteIndicator("|", true, false);
  if (IsSpace(text, 0) || IsBreak(text, 0)) Put('2');
  std::size_t last = text.size() - 1;
  const auto to_begin = [&](std::size_t at) {
    while (at > 0 && (ByteAt(text, at) & 0xC0U) == 0x80) --at;
    return at;
  };
  last = to_begin(last);
  if (!IsBreak(text, last)) {
    Put('-');
  } else if (last == 0 || IsBreak(text, to_begin(last - 1))) {
    Put('+');
  }
  PutBreak();
  indention_ = true;
  whitespace_ = true;
  bool after_break = true;
  for (std::size_t i = 0; i < text.size();) {
    if (IsBreak(text, i)) {
      WriteBreak(text, i);
      indention_ = true;
      after_break = true;
      continue;
    }
    if (after_break) WriteIndent();
    PutCharacter(text, i);
    indention_ = false;
    after_break = false;
  }
}

}  // namespace annex::json
