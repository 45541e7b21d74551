// YamlEvents: what a YAML parser found in one document, in the document's order. DecodeYaml makes a JSON
// value of it.
//
// A flat list rather than a tree, so that depth costs heap and not the thread's stack:
//
//   a: &x [1, *x]   ->   0 mapping(end 6)  1 scalar a  2 sequence(end 5)  3 scalar 1  4 alias(2)  5 end  6
//   end
//
// Thread rule: value types.
#pragma once

#include "annex/base/result.h"
#include "annex/json/yaml.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// Positions within a document are 32 bits wide; callers' limits on bodies are far below.
inline constexpr std::size_t kMaxYamlBytes = 1UL << 30U;

struct YamlEvent {
  enum class Kind : std::uint8_t { kScalar, kAlias, kSequence, kMapping, kEnd };

  Kind kind = Kind::kScalar;
  // Of a scalar: its text alone decides the type. Otherwise it is a string or has a tag.
  bool plain = false;
  std::uint32_t line = 0;  // from 0
  std::uint32_t tag = 0;   // in YamlEvents::tags; 0 is none
  // Of a scalar its text, of an alias its name; in YamlEvents::text.
  std::uint32_t text_begin = 0;
  std::uint32_t text_size = 0;
  // Of an alias the event that it stands for, of a sequence or mapping its end.
  std::uint32_t target = 0;
};

class YamlEvents {
 public:
  // The events get the line, anchor ("" is none) and tag ("" is none) of their node.
  struct Node {
    std::uint32_t line = 0;
    std::string anchor = {};
    std::string tag = {};
  };

  void AddScalar(const Node& node, std::string_view text, bool plain);
  void Open(YamlEvent::Kind kind, const Node& node);
  // Ends the innermost open sequence or mapping.
  void Close(std::uint32_t line);
  // False if no node of this document has the anchor `name` so far.
  bool AddAlias(std::uint32_t line, const std::string& name);

  std::size_t Size() const { return events_.size(); }
  const YamlEvent& At(std::size_t index) const { return events_[index]; }
  std::string_view Text(const YamlEvent& event) const;
  std::string_view Tag(const YamlEvent& event) const;
  // The event that follows a whole node.
  std::uint32_t After(std::uint32_t index) const;

 private:
  YamlEvent& Add(YamlEvent::Kind kind, const Node& node);
  void SetText(YamlEvent& event, std::string_view text);

  std::vector<YamlEvent> events_;
  std::vector<std::uint32_t> open_;
  std::string text_;
  std::vector<std::string> tags_{""};
  std::map<std::string, std::uint32_t, std::less<>> anchors_;
};

// Kubernetes' reading of a document. `report` may be nullptr.
base::Result<Value> DecodeYaml(const YamlEvents& events, YamlReport* report);

// UTF-8 text to parse. Where `problem` is not empty, the input goes on behind `text` with something
// unreadable: parsing that gets to the end of `text` ends with this complaint.
struct YamlText {
  std::string text;
  std::string problem;
};

// Removes the byte order mark, turns UTF-16 with such a mark into UTF-8 and checks that all characters are
// allowed.
YamlText ReadYamlText(std::string_view input);

// The first document of `text`; no events if there is none. Errors: BadRequest with go-yaml's words.
base::Result<YamlEvents> ParseYamlEvents(const YamlText& text);

}  // namespace annex::json
