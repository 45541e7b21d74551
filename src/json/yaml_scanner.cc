#include "yaml_scanner.h"

#include "annex/json/read.h"

#include <array>

namespace annex::json {
namespace {

// Beyond this many characters a colon makes no simple key any more (YAML 1.2, section 7.4.2, which go-yaml
// obeys).
constexpr std::size_t kMaxSimpleKeyLength = 1024;

// How many characters go-yaml wants to have read before it looks what token begins.
constexpr std::size_t kLookAhead = 4;

constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";

std::size_t WidthOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

}  // namespace

std::string YamlProblem::Message() const {
  std::string message = "yaml: ";
  if (source != Source::kReader && line != 0) {
    message += "line " + std::to_string(source == Source::kScanner ? line + 1 : line) + ": ";
  }
  return message + text;
}

// ---- Characters

bool YamlScanner::AtBreak(std::size_t offset) const {
  const char c = At(offset);
  if (c == '\n' || c == '\r') return true;
  if (c == '\xC2') return At(offset + 1) == '\x85';
  return c == '\xE2' && At(offset + 1) == '\x80' && (At(offset + 2) == '\xA8' || At(offset + 2) == '\xA9');
}

bool YamlScanner::AtSpaceOrEnd(std::size_t offset) const {
  return pos_ + offset >= text_.size() || AtBlank(offset) || AtBreak(offset);
}

bool YamlScanner::AtDocumentIndicator() const {
  if (mark_.column != 0) return false;
  const std::string_view word = text_.substr(pos_, 3);
  return (word == "---" || word == "...") && AtSpaceOrEnd(3);
}

void YamlScanner::Skip() {
  pos_ += WidthOf(text_[pos_]);
  ++mark_.index;
  ++mark_.column;
}

void YamlScanner::Skip(std::size_t characters) {
  while (characters-- > 0 && !AtEnd()) Skip();
}

std::string_view YamlScanner::ReadBreak() {
  std::string_view text = "\n";
  if (At() == '\r' && At(1) == '\n') {
    pos_ += 2;
    ++mark_.index;
  } else {
    const std::size_t width = WidthOf(At());
    // The separators of Unicode stay what they are.
    if (width == 3) text = text_.substr(pos_, 3);
    pos_ += width;
  }
  ++mark_.index;
  ++mark_.line;
  mark_.column = 0;
  return text;
}

void YamlScanner::SkipBlanks() {
  while (AtBlank()) Skip();
}

void YamlScanner::SkipComment() {
  if (At() != '#') return;
  while (!AtEnd() && !AtBreak()) Skip();
}

std::string YamlScanner::ReadWord() {
  const std::size_t begin = pos_;
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
  };
  while (is_word(At())) Skip();
  return std::string(text_.substr(begin, pos_ - begin));
}

bool YamlScanner::Fail(std::string_view problem) {
  failed_ = true;
  if (!reader_problem_.empty() && AtEnd()) {
    problem_ = {YamlProblem::Source::kReader, 0, std::string(reader_problem_)};
  } else {
    problem_ = {YamlProblem::Source::kScanner, mark_.line, std::string(problem)};
  }
  return false;
}

// ---- The queue

YamlScanner::Kind YamlScanner::Peek() {
  if (!available_ && (failed_ || !FetchMore())) return Kind::kNone;
  available_ = true;
  const Token& token = tokens_.front();
  if (token.begins_sequence) return Kind::kBlockSequenceStart;
  if (token.begins_mapping) return Kind::kBlockMappingStart;
  if (token.begins_key) return Kind::kKey;
  return token.kind;
}

void YamlScanner::Pop() {
  available_ = false;
  Token& token = tokens_.front();
  for (bool* begins : {&token.begins_sequence, &token.begins_mapping, &token.begins_key}) {
    if (*begins) {
      *begins = false;
      return;
    }
  }
  tokens_.pop_front();
  ++first_token_;
}

bool YamlScanner::FetchMore() {
  while (true) {
    if (!tokens_.empty()) {
      const Token& token = tokens_.front();
      if (!token.held || token.level >= simple_keys_.size()) return true;
      bool valid = false;
      if (!KeyIsValid(simple_keys_[token.level], valid)) return false;
      if (!valid) return true;
    }
    if (!FetchNext()) return false;
  }
}

YamlScanner::Token& YamlScanner::Push(Kind kind, const Mark& mark) {
  Token& token = tokens_.emplace_back();
  token.kind = kind;
  token.line = mark.line;
  token.level = simple_keys_.size() - 1;
  const SimpleKey& key = simple_keys_.back();
  token.held = key.possible && key.token + 1 == first_token_ + tokens_.size();
  return token;
}

void YamlScanner::SkipToToken() {
  // A byte order mark may begin the text, besides the one that told its encoding.
  if (pos_ == 0 && text_.starts_with("\xEF\xBB\xBF")) Skip();
  while (true) {
    // A tab is no indentation: it counts as white space only where no key of a block can begin.
    while (At() == ' ' || (At() == '\t' && (InFlow() || !simple_key_allowed_))) Skip();
    SkipComment();
    if (!AtBreak()) return;
    ReadBreak();
    if (!InFlow()) simple_key_allowed_ = true;
  }
}

bool YamlScanner::FetchNext() {
  if (!FetchToken()) return false;
  return reader_problem_.empty() || !AtEnd() || Fail({});
}

bool YamlScanner::FetchToken() {
  SkipToToken();
  if (!reader_problem_.empty() && pos_ + kLookAhead > text_.size()) {
    pos_ = text_.size();
    return Fail({});
  }
  UnrollIndent(mark_.column);
  if (AtEnd()) return FetchStreamEnd();
  const char c = At();
  if (mark_.column == 0 && c == '%') return FetchDirective();
  if (AtDocumentIndicator())
    return FetchDocumentIndicator(c == '-' ? Kind::kDocumentStart : Kind::kDocumentEnd);
  switch (c) {
    case '[':
      return FetchFlowStart(Kind::kFlowSequenceStart);
    case '{':
      return FetchFlowStart(Kind::kFlowMappingStart);
    case ']':
      return FetchFlowEnd(Kind::kFlowSequenceEnd);
    case '}':
      return FetchFlowEnd(Kind::kFlowMappingEnd);
    case ',':
      return FetchFlowEntry();
    case '*':
      return FetchAnchor(Kind::kAlias);
    case '&':
      return FetchAnchor(Kind::kAnchor);
    case '!':
      return FetchTag();
    case '\'':
    case '"':
      return FetchQuoted(c);
    default:
      break;
  }
  if (c == '-' && AtSpaceOrEnd(1)) return FetchBlockEntry();
  if (c == '?' && (InFlow() || AtSpaceOrEnd(1))) return FetchKey();
  if (c == ':' && (InFlow() || AtSpaceOrEnd(1))) return FetchValue();
  if ((c == '|' || c == '>') && !InFlow()) return FetchBlockScalar(c == '|');
  if (StartsPlain(c)) return FetchPlain();
  return Fail("found character that cannot start any token");
}

bool YamlScanner::StartsPlain(char c) const {
  if (c == '-') return !AtBlank(1);
  if (c == '?' || c == ':') return !InFlow() && !AtSpaceOrEnd(1);
  return !AtSpaceOrEnd() && kIndicators.find(c) == std::string_view::npos;
}

// ---- Simple keys

bool YamlScanner::KeyIsValid(SimpleKey& key, bool& valid) {
  valid = false;
  if (!key.possible) return true;
  if (key.mark.line < mark_.line || key.mark.index + kMaxSimpleKeyLength < mark_.index) {
    if (key.required) return Fail("could not find expected ':'");
    key.possible = false;
    return true;
  }
  valid = true;
  return true;
}

bool YamlScanner::SaveSimpleKey() {
  if (!simple_key_allowed_) return true;
  const bool required = !InFlow() && indent_ == mark_.column;
  if (!RemoveSimpleKey()) return false;
  simple_keys_.back() = {true, required, first_token_ + tokens_.size(), mark_};
  return true;
}

bool YamlScanner::RemoveSimpleKey() {
  SimpleKey& key = simple_keys_.back();
  if (key.possible && key.required) return Fail("could not find expected ':'");
  if (key.possible) Release(key.token);
  key.possible = false;
  return true;
}

void YamlScanner::Release(std::size_t token) {
  if (token >= first_token_) tokens_[token - first_token_].held = false;
}

// ---- Indentation

// True if a block collection begins at `column`: the caller flags its token.
bool YamlScanner::RollIndent(int column) {
  if (InFlow() || indent_ >= column) return false;
  indents_.push_back(indent_);
  indent_ = column;
  if (indents_.size() > kMaxDepth) Fail("exceeded max depth of " + std::to_string(kMaxDepth));
  return true;
}

void YamlScanner::UnrollIndent(int column) {
  if (InFlow()) return;
  while (indent_ > column) {
    Push(Kind::kBlockEnd, mark_);
    indent_ = indents_.back();
    indents_.pop_back();
  }
}

// ---- Tokens

bool YamlScanner::FetchStreamEnd() {
  if (mark_.column != 0) {
    mark_.column = 0;
    ++mark_.line;
  }
  UnrollIndent(-1);
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = false;
  Push(Kind::kStreamEnd, mark_);
  return true;
}

bool YamlScanner::FetchDocumentIndicator(Kind kind) {
  UnrollIndent(-1);
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = false;
  Push(kind, mark_);
  Skip(3);
  return true;
}

bool YamlScanner::FetchFlowStart(Kind kind) {
  if (!SaveSimpleKey()) return false;
  Push(kind, mark_);
  simple_keys_.emplace_back().token = first_token_ + tokens_.size() - 1;
  if (simple_keys_.size() - 1 > kMaxDepth) return Fail("exceeded max depth of " + std::to_string(kMaxDepth));
  simple_key_allowed_ = true;
  Skip();
  return true;
}

bool YamlScanner::FetchFlowEnd(Kind kind) {
  if (!RemoveSimpleKey()) return false;
  if (InFlow()) {
    // In a collection without simple keys this is the bracket that opened it. So libyaml forgets that the
    // collection itself may be a key, as in "[]: x".
    Release(simple_keys_.back().token);
    simple_keys_.pop_back();
  }
  simple_key_allowed_ = false;
  Push(kind, mark_);
  Skip();
  return true;
}

bool YamlScanner::FetchFlowEntry() {
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = true;
  Push(Kind::kFlowEntry, mark_);
  Skip();
  return true;
}

bool YamlScanner::FetchBlockEntry() {
  bool begins = false;
  // In a flow collection the parser complains: it can tell where.
  if (!InFlow()) {
    if (!simple_key_allowed_) return Fail("block sequence entries are not allowed in this context");
    begins = RollIndent(mark_.column);
    if (failed_) return false;
  }
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = true;
  Push(Kind::kBlockEntry, mark_).begins_sequence = begins;
  Skip();
  return true;
}

bool YamlScanner::FetchKey() {
  bool begins = false;
  if (!InFlow()) {
    if (!simple_key_allowed_) return Fail("mapping keys are not allowed in this context");
    begins = RollIndent(mark_.column);
    if (failed_) return false;
  }
  if (!RemoveSimpleKey()) return false;
  simple_key_allowed_ = !InFlow();
  Push(Kind::kKey, mark_).begins_mapping = begins;
  Skip();
  return true;
}

bool YamlScanner::FetchValue() {
  SimpleKey& key = simple_keys_.back();
  bool simple = false;
  if (!KeyIsValid(key, simple)) return false;
  bool begins = false;
  if (simple) {
    // A token that was not held may be gone. libyaml then puts the marks of the key where it is, and that
    // makes no sense.
    const bool gone = key.token < first_token_;
    Token& token = gone ? Push(Kind::kKey, key.mark) : tokens_[key.token - first_token_];
    token.begins_key = !gone;
    const bool rolled = RollIndent(key.mark.column);
    if (failed_) return false;
    if (rolled && gone) {
      Push(Kind::kBlockMappingStart, key.mark);
    } else {
      token.begins_mapping = rolled;
    }
    token.held = false;
    key.possible = false;
    simple_key_allowed_ = false;
  } else {
    if (!InFlow()) {
      if (!simple_key_allowed_) return Fail("mapping values are not allowed in this context");
      begins = RollIndent(mark_.column);
      if (failed_) return false;
    }
    simple_key_allowed_ = !InFlow();
  }
  Push(Kind::kValue, mark_).begins_mapping = begins;
  Skip();
  return true;
}

bool YamlScanner::FetchAnchor(Kind kind) {
  if (!SaveSimpleKey()) return false;
  simple_key_allowed_ = false;
  Token& token = Push(kind, mark_);
  Skip();
  token.text = ReadWord();
  constexpr std::string_view kMayFollow = "?:,]}%@`";
  if (token.text.empty() || (!AtSpaceOrEnd() && kMayFollow.find(At()) == std::string_view::npos)) {
    return Fail("did not find expected alphabetic or numeric character");
  }
  return true;
}

}  // namespace annex::json
