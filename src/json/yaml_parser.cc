// The grammar of YAML over the tokens of YamlScanner, as libyaml has it. A state machine with its own stack:
// a document's depth costs heap only.
#include "yaml_events.h"
#include "yaml_scalar.h"
#include "yaml_scanner.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace annex::json {
namespace {

using Kind = YamlScanner::Kind;

// What is to be read next; the stack's top comes first.
enum class State : std::uint8_t {
  kBlockNode,
  kBlockNodeOrIndentless,  // also a sequence whose dashes stand under the key
  kFlowNode,
  kBlockSequence,
  kIndentlessSequence,
  kBlockMappingKey,
  kBlockMappingValue,
  kFlowSequenceFirst,
  kFlowSequenceEntry,
  kFlowPairKey,  // "[a: b]"
  kFlowPairValue,
  kFlowPairEnd,
  kFlowMappingFirst,
  kFlowMappingKey,
  kFlowMappingValue,
  kFlowMappingNoValue,
};

class Parser {
 public:
  explicit Parser(const YamlText& text) : scanner_(text) {}

  base::Result<YamlEvents> Parse() {
    if (!ParseDocument()) {
      if (problem_.text.empty()) problem_ = scanner_.Problem();
      return base::Error(base::Reason::kBadRequest, problem_.Message());
    }
    return std::move(events_);
  }

 private:
  bool Fail(std::string text) { return FailAt(scanner_.Line(), std::move(text)); }

  bool FailAt(std::uint32_t line, std::string text) {
    problem_ = {YamlProblem::Source::kParser, line, std::move(text)};
    return false;
  }

  bool NextIs(std::initializer_list<Kind> kinds) {
    return std::find(kinds.begin(), kinds.end(), scanner_.Peek()) != kinds.end();
  }
  bool Failed() { return scanner_.Peek() == Kind::kNone; }

  void Push(State state) { states_.push_back(state); }

  void AddEmpty(std::uint32_t line) { events_.AddScalar({.line = line}, {}, true); }

  bool ParseDocument() {
    if (Failed()) return false;
    if (NextIs({Kind::kStreamEnd})) return true;
    const bool is_explicit = NextIs({Kind::kVersionDirective, Kind::kTagDirective, Kind::kDocumentStart});
    if (!ParseDirectives()) return false;
    if (is_explicit) {
      if (!NextIs({Kind::kDocumentStart})) return Fail("did not find expected <document start>");
      scanner_.Pop();
      if (Failed()) return false;
      if (NextIs({Kind::kVersionDirective, Kind::kTagDirective, Kind::kDocumentStart, Kind::kDocumentEnd,
                  Kind::kStreamEnd})) {
        AddEmpty(scanner_.Line());
        return true;
      }
    }
    Push(State::kBlockNode);
    while (!states_.empty()) {
      const State state = states_.back();
      states_.pop_back();
      if (Failed() || !Step(state)) return false;
    }
    // What follows the document is looked at, but no more than that.
    return !Failed();
  }

  bool ParseDirectives() {
    bool has_version = false;
    for (; NextIs({Kind::kVersionDirective, Kind::kTagDirective}); scanner_.Pop()) {
      const YamlScanner::Token& token = scanner_.Next();
      if (token.kind == Kind::kVersionDirective) {
        if (has_version) return Fail("found duplicate %YAML directive");
        if (token.text != "1.1") return Fail("found incompatible YAML document");
        has_version = true;
      } else if (!tag_prefixes_.emplace(token.text, token.suffix).second) {
        return Fail("found duplicate %TAG directive");
      }
    }
    if (Failed()) return false;
    tag_prefixes_.emplace("!", "!");
    tag_prefixes_.emplace("!!", kYamlTagPrefix);
    return true;
  }

  bool Step(State state) {
    switch (state) {
      case State::kBlockNode:
        return ParseNode(true, false);
      case State::kBlockNodeOrIndentless:
        return ParseNode(true, true);
      case State::kFlowNode:
        return ParseNode(false, false);
      case State::kBlockSequence:
        return ParseBlockSequence();
      case State::kIndentlessSequence:
        return ParseIndentlessSequence();
      case State::kBlockMappingKey:
        return ParseBlockMappingKey();
      case State::kBlockMappingValue:
        return ParseBlockMappingValue();
      case State::kFlowSequenceFirst:
        return ParseFlowSequence(true);
      case State::kFlowSequenceEntry:
        return ParseFlowSequence(false);
      case State::kFlowPairKey:
        return ParseFlowPairKey();
      case State::kFlowPairValue:
        return ParseFlowPairValue();
      case State::kFlowPairEnd:
        events_.Close(scanner_.Line());
        return true;
      case State::kFlowMappingFirst:
        return ParseFlowMapping(true);
      case State::kFlowMappingKey:
        return ParseFlowMapping(false);
      case State::kFlowMappingValue:
        return ParseFlowMappingValue();
      case State::kFlowMappingNoValue:
        AddEmpty(scanner_.Line());
        return true;
    }
    return false;
  }

  // Anchor and tag in either order.
  bool ParseProperties(YamlEvents::Node& node) {
    std::string handle;
    std::string suffix;
    std::uint32_t tag_line = 0;
    bool has_tag = false;
    for (int i = 0; i < 2; ++i) {
      if (NextIs({Kind::kAnchor}) && node.anchor.empty()) {
        node.anchor = std::move(scanner_.Next().text);
      } else if (NextIs({Kind::kTag}) && !has_tag) {
        has_tag = true;
        tag_line = scanner_.Line();
        handle = std::move(scanner_.Next().text);
        suffix = std::move(scanner_.Next().suffix);
      } else {
        break;
      }
      scanner_.Pop();
      if (Failed()) return false;
    }
    if (!has_tag) return true;
    if (handle.empty()) {
      node.tag = std::move(suffix);
      return true;
    }
    const auto prefix = tag_prefixes_.find(handle);
    if (prefix != tag_prefixes_.end()) node.tag = prefix->second + suffix;
    return !node.tag.empty() || FailAt(tag_line, "found undefined tag handle");
  }

  bool ParseNode(bool block, bool indentless) {
    if (NextIs({Kind::kAlias})) {
      const YamlScanner::Token& token = scanner_.Next();
      if (!events_.AddAlias(token.line, token.text)) {
        return FailAt(0, "unknown anchor '" + token.text + "' referenced");
      }
      scanner_.Pop();
      return true;
    }
    YamlEvents::Node node{.line = scanner_.Line()};
    if (!ParseProperties(node)) return false;
    const Kind kind = scanner_.Peek();
    if (kind == Kind::kScalar) {
      const YamlScanner::Token& token = scanner_.Next();
      events_.AddScalar(node, token.text, node.tag.empty() ? token.plain : node.tag == "!");
      scanner_.Pop();
      return true;
    }
    if (kind == Kind::kFlowSequenceStart)
      return Open(YamlEvent::Kind::kSequence, node, State::kFlowSequenceFirst);
    if (kind == Kind::kFlowMappingStart)
      return Open(YamlEvent::Kind::kMapping, node, State::kFlowMappingFirst);
    if (block && kind == Kind::kBlockSequenceStart) {
      return Open(YamlEvent::Kind::kSequence, node, State::kBlockSequence);
    }
    if (block && kind == Kind::kBlockMappingStart) {
      return Open(YamlEvent::Kind::kMapping, node, State::kBlockMappingKey);
    }
    if (indentless && kind == Kind::kBlockEntry) {
      events_.Open(YamlEvent::Kind::kSequence, node);
      Push(State::kIndentlessSequence);
      return true;
    }
    if (node.anchor.empty() && node.tag.empty()) return Fail("did not find expected node content");
    events_.AddScalar(node, {}, node.tag.empty());
    return true;
  }

  // REQUIRES: the token that opens is next.
  bool Open(YamlEvent::Kind kind, const YamlEvents::Node& node, State state) {
    events_.Open(kind, node);
    scanner_.Pop();
    Push(state);
    return true;
  }

  bool Close() {
    events_.Close(scanner_.Line());
    scanner_.Pop();
    return true;
  }

  // A node, or an empty one if one of `enders` comes at once. The indicator before it stood on `line`.
  void PushNodeUnless(std::initializer_list<Kind> enders, std::uint32_t line, State node) {
    if (NextIs(enders)) {
      AddEmpty(line);
    } else {
      Push(node);
    }
  }

  bool ParseBlockSequence() {
    if (NextIs({Kind::kBlockEnd})) return Close();
    if (!NextIs({Kind::kBlockEntry})) return Fail("did not find expected '-' indicator");
    const std::uint32_t line = scanner_.Line();
    scanner_.Pop();
    if (Failed()) return false;
    Push(State::kBlockSequence);
    PushNodeUnless({Kind::kBlockEntry, Kind::kBlockEnd}, line, State::kBlockNode);
    return true;
  }

  bool ParseIndentlessSequence() {
    const std::uint32_t line = scanner_.Line();
    if (!NextIs({Kind::kBlockEntry})) {
      events_.Close(line);
      return true;
    }
    scanner_.Pop();
    if (Failed()) return false;
    Push(State::kIndentlessSequence);
    PushNodeUnless({Kind::kBlockEntry, Kind::kKey, Kind::kValue, Kind::kBlockEnd}, line, State::kBlockNode);
    return true;
  }

  bool ParseBlockMappingKey() {
    if (NextIs({Kind::kBlockEnd})) return Close();
    if (!NextIs({Kind::kKey})) return Fail("did not find expected key");
    const std::uint32_t line = scanner_.Line();
    scanner_.Pop();
    if (Failed()) return false;
    Push(State::kBlockMappingValue);
    PushNodeUnless({Kind::kKey, Kind::kValue, Kind::kBlockEnd}, line, State::kBlockNodeOrIndentless);
    return true;
  }

  bool ParseBlockMappingValue() {
    const std::uint32_t line = scanner_.Line();
    Push(State::kBlockMappingKey);
    if (!NextIs({Kind::kValue})) {
      AddEmpty(line);
      return true;
    }
    scanner_.Pop();
    if (Failed()) return false;
    PushNodeUnless({Kind::kKey, Kind::kValue, Kind::kBlockEnd}, line, State::kBlockNodeOrIndentless);
    return true;
  }

  // The comma before every entry of a flow collection but the first; `close` may come instead and after it.
  bool ParseComma(bool first, Kind close, const char* problem) {
    if (first || NextIs({close})) return true;
    if (!NextIs({Kind::kFlowEntry})) return Fail(problem);
    scanner_.Pop();
    return !Failed();
  }

  bool ParseFlowSequence(bool first) {
    if (!ParseComma(first, Kind::kFlowSequenceEnd, "did not find expected ',' or ']'")) return false;
    if (NextIs({Kind::kFlowSequenceEnd})) return Close();
    Push(State::kFlowSequenceEntry);
    if (NextIs({Kind::kKey}))
      return Open(YamlEvent::Kind::kMapping, {.line = scanner_.Line()}, State::kFlowPairKey);
    Push(State::kFlowNode);
    return true;
  }

  bool ParseFlowPairKey() {
    Push(State::kFlowPairValue);
    if (NextIs({Kind::kValue, Kind::kFlowEntry, Kind::kFlowSequenceEnd})) {
      // libyaml takes this token as the key. No sense, but what it then says about "[? : x]" depends on it.
      AddEmpty(scanner_.Line());
      scanner_.Pop();
    } else {
      Push(State::kFlowNode);
    }
    return true;
  }

  bool ParseFlowPairValue() {
    Push(State::kFlowPairEnd);
    return ParseFlowValue(Kind::kFlowSequenceEnd);
  }

  bool ParseFlowValue(Kind close) {
    if (NextIs({Kind::kValue})) {
      scanner_.Pop();
      if (Failed()) return false;
      if (!NextIs({Kind::kFlowEntry, close})) {
        Push(State::kFlowNode);
        return true;
      }
    }
    AddEmpty(scanner_.Line());
    return true;
  }

  bool ParseFlowMapping(bool first) {
    if (!ParseComma(first, Kind::kFlowMappingEnd, "did not find expected ',' or '}'")) return false;
    if (NextIs({Kind::kFlowMappingEnd})) return Close();
    Push(State::kFlowMappingKey);
    if (!NextIs({Kind::kKey})) {
      Push(State::kFlowMappingNoValue);
      Push(State::kFlowNode);
      return true;
    }
    scanner_.Pop();
    if (Failed()) return false;
    Push(State::kFlowMappingValue);
    PushNodeUnless({Kind::kValue, Kind::kFlowEntry, Kind::kFlowMappingEnd}, scanner_.Line(),
                   State::kFlowNode);
    return true;
  }

  bool ParseFlowMappingValue() { return ParseFlowValue(Kind::kFlowMappingEnd); }

  YamlScanner scanner_;
  YamlEvents events_;
  YamlProblem problem_;
  std::vector<State> states_;
  std::map<std::string, std::string, std::less<>> tag_prefixes_;
};

}  // namespace

base::Result<YamlEvents> ParseYamlEvents(const YamlText& text) {
  return Parser(text).Parse();
}

}  // namespace annex::json
