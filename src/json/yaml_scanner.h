// YamlScanner: cuts YAML 1.1 text into tokens, by the rules of libyaml that go-yaml v2 follows.
//
// Why an own scanner: clients see its errors, server-side apply sends every body through it, and yaml-cpp
// reads some 4 MB/s, nests at most 500 levels, words its errors differently and follows YAML 1.2 in places.
// This one needs time in proportion to its input and no recursion.
//
// A "key: value" shows that it is one only at its colon, so a token that may begin a simple key is held back
// until the colon came or can come no more (a key ends on its line and within 1024 characters). What then
// turns out to begin before a held token is noted in its flags; Peek() reports those as tokens of their own:
//
//   a: 1   ->   block mapping start, key, scalar a, value, scalar 1, block end, stream end
//
// Thread rule: one thread. Ownership: refers to the text.
#pragma once

#include "yaml_events.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// The line numbers that go-yaml prints depend on who complains.
struct YamlProblem {
  enum class Source : std::uint8_t { kReader, kScanner, kParser };

  Source source = Source::kParser;
  std::uint32_t line = 0;  // from 0
  std::string text = {};

  // "yaml: line 3: TEXT". As in go-yaml, the first line has no number and those of parser errors are one too
  // small.
  std::string Message() const;
};

class YamlScanner {
 public:
  enum class Kind : std::uint8_t {
    kNone,  // a problem
    kStreamEnd,
    kVersionDirective,
    kTagDirective,
    kDocumentStart,
    kDocumentEnd,
    kBlockSequenceStart,
    kBlockMappingStart,
    kBlockEnd,
    kFlowSequenceStart,
    kFlowSequenceEnd,
    kFlowMappingStart,
    kFlowMappingEnd,
    kBlockEntry,
    kFlowEntry,
    kKey,
    kValue,
    kAlias,
    kAnchor,
    kTag,
    kScalar,
  };

  struct Token {
    Kind kind = Kind::kNone;
    bool begins_sequence = false;
    bool begins_mapping = false;
    bool begins_key = false;
    bool plain = false;      // of a scalar: without quotes and no block
    bool held = false;       // may begin the simple key of `level`
    std::size_t level = 0;   // of flow collections around it
    std::uint32_t line = 0;  // from 0
    std::string text = {};   // of a scalar, anchor, alias; handle of a tag; version "1.1"
    std::string suffix = {};
  };

  explicit YamlScanner(const YamlText& text) : text_(text.text), reader_problem_(text.problem) {}

  // The next token's kind; kNone after a problem.
  Kind Peek();
  // REQUIRES: Peek() returned its kind and not kNone.
  Token& Next() { return tokens_.front(); }
  std::uint32_t Line() const { return tokens_.front().line; }
  void Pop();

  const YamlProblem& Problem() const { return problem_; }

 private:
  struct Mark {
    std::size_t index = 0;  // in characters
    std::uint32_t line = 0;
    int column = 0;
  };
  // Where a simple key may have begun, for each flow level.
  struct SimpleKey {
    bool possible = false;
    bool required = false;  // nothing else can stand there
    std::size_t token = 0;
    Mark mark = {};
  };
  // White space and line breaks between the words of a scalar that spans lines.
  struct Gap {
    bool broken = false;
    std::string spaces = {};
    std::string first_break = {};
    std::string more_breaks = {};

    void AddBreak(std::string_view text);
    void MoveTo(std::string& out);
    bool Empty() const { return !broken && spaces.empty(); }
  };

  // Characters. Beyond the end all bytes are 0, which no text contains.
  char At(std::size_t offset = 0) const { return pos_ + offset < text_.size() ? text_[pos_ + offset] : '\0'; }
  bool AtEnd() const { return pos_ >= text_.size(); }
  bool AtBreak(std::size_t offset = 0) const;
  bool AtBlank(std::size_t offset = 0) const { return At(offset) == ' ' || At(offset) == '\t'; }
  bool AtSpaceOrEnd(std::size_t offset = 0) const;
  bool AtDocumentIndicator() const;
  void Skip();
  void Skip(std::size_t characters);
  // Moves past a line break and returns what it is in a scalar.
  std::string_view ReadBreak();
  void SkipBlanks();
  void SkipComment();
  std::string ReadWord();

  bool Fail(std::string_view problem);

  // Tokens.
  bool FetchMore();
  bool FetchNext();
  bool FetchToken();
  void SkipToToken();
  bool FetchIndicator(char c);
  bool FetchScalarToken(char c);
  bool StartsPlain(char c) const;
  Token& Push(Kind kind, const Mark& mark);
  bool InFlow() const { return simple_keys_.size() > 1; }

  bool KeyIsValid(SimpleKey& key, bool& valid);
  bool SaveSimpleKey();
  bool RemoveSimpleKey();
  void Release(std::size_t token);
  bool RollIndent(int column);
  void UnrollIndent(int column);

  bool FetchStreamEnd();
  bool FetchDocumentIndicator(Kind kind);
  bool FetchFlowStart(Kind kind);
  bool FetchFlowEnd(Kind kind);
  bool FetchFlowEntry();
  bool FetchBlockEntry();
  bool FetchKey();
  bool FetchValue();
  bool FetchAnchor(Kind kind);
  bool FetchTag();
  bool FetchDirective();

  // Directives and tags (yaml_scan_tag.cc).
  bool ScanVersion(std::string& version);
  bool ScanTagDirective(std::string& handle, std::string& prefix);
  bool ScanTagHandle(bool directive, std::string& handle);
  bool ScanTagUri(std::string& uri);
  bool ScanUriEscape(std::string& uri);

  // Scalars (yaml_scan_scalar.cc).
  bool FetchBlockScalar(bool literal);
  bool FetchQuoted(char quote);
  bool FetchPlain();
  bool ScanBlockHeader(int& increment, char& chomping);
  bool ScanBlockBreaks(int& indent, std::string& breaks);
  bool ScanQuotedWord(char quote, std::string& out, Gap& gap);
  bool ScanEscape(std::string& out);
  bool ScanHexEscape(std::size_t digits, std::string& out);
  bool AtPlainEnd() const;

  const std::string_view text_;
  const std::string_view reader_problem_;
  std::size_t pos_ = 0;
  Mark mark_;

  std::deque<Token> tokens_;
  std::size_t first_token_ = 0;  // number of tokens_.front()
  bool available_ = false;
  bool failed_ = false;
  YamlProblem problem_;

  int indent_ = -1;
  std::vector<int> indents_;
  bool simple_key_allowed_ = true;
  std::vector<SimpleKey> simple_keys_{1};
};

}  // namespace annex::json
