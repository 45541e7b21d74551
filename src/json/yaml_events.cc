#include "yaml_events.h"

#include "annex/base/check.h"

namespace annex::json {

YamlEvent& YamlEvents::Add(YamlEvent::Kind kind, const Node& node) {
  if (!node.anchor.empty()) anchors_[node.anchor] = static_cast<std::uint32_t>(events_.size());
  YamlEvent& event = events_.emplace_back();
  event.kind = kind;
  event.line = node.line;
  if (!node.tag.empty()) {
    // Documents have few tags, and mostly the same one again.
    if (tags_.back() != node.tag) tags_.push_back(node.tag);
    event.tag = static_cast<std::uint32_t>(tags_.size() - 1);
  }
  return event;
}

void YamlEvents::SetText(YamlEvent& event, std::string_view text) {
  event.text_begin = static_cast<std::uint32_t>(text_.size());
  event.text_size = static_cast<std::uint32_t>(text.size());
  text_ += text;
}

void YamlEvents::AddScalar(const Node& node, std::string_view text, bool plain) {
  YamlEvent& event = Add(YamlEvent::Kind::kScalar, node);
  event.plain = plain;
  SetText(event, text);
}

void YamlEvents::Open(YamlEvent::Kind kind, const Node& node) {
  open_.push_back(static_cast<std::uint32_t>(events_.size()));
  Add(kind, node);
}

void YamlEvents::Close(std::uint32_t line) {
  ANNEX_CHECK(!open_.empty(), "a YAML parser closes only what it opened");
  events_[open_.back()].target = static_cast<std::uint32_t>(events_.size());
  open_.pop_back();
  Add(YamlEvent::Kind::kEnd, {.line = line});
}

bool YamlEvents::AddAlias(std::uint32_t line, const std::string& name) {
  const auto anchor = anchors_.find(name);
  if (anchor == anchors_.end()) return false;
  YamlEvent& event = Add(YamlEvent::Kind::kAlias, {.line = line});
  SetText(event, name);
  event.target = anchor->second;
  return true;
}

std::string_view YamlEvents::Text(const YamlEvent& event) const {
  return std::string_view(text_).substr(event.text_begin, event.text_size);
}

std::string_view YamlEvents::Tag(const YamlEvent& event) const {
  return tags_[event.tag];
}

std::uint32_t YamlEvents::After(std::uint32_t index) const {
  const YamlEvent& event = events_[index];
  const bool container = event.kind == YamlEvent::Kind::kSequence || event.kind == YamlEvent::Kind::kMapping;
  return (container ? event.target : index) + 1;
}

}  // namespace annex::json
