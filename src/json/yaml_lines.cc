#include "annex/json/yaml_lines.h"

#include <algorithm>
#include <exception>
#include <optional>

#include <yaml-cpp/yaml.h>

namespace annex::json {
namespace {

std::size_t LineOf(const YAML::Node& node) {
  return static_cast<std::size_t>(node.Mark().line) + 1;
}

struct Step {
  YAML::Node node;
  std::size_t line;
};

std::optional<Step> Enter(const YAML::Node& node, const std::string& key) {
  if (node.IsSequence()) {
    std::size_t number = 0;
    for (const YAML::Node& item : node) {
      if (std::to_string(number++) == key) return Step{item, LineOf(item)};
    }
  }
  if (node.IsMap()) {
    for (const auto& member : node) {
      if (member.first.IsScalar() && member.first.Scalar() == key)
        return Step{member.second, LineOf(member.first)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::size_t YamlLineOf(std::string_view text, std::size_t document, const std::vector<std::string>& path) {
  try {
    for (const YAML::Node& root : YAML::LoadAll(std::string(text))) {
      if (LineOf(root) != document) continue;
      Step at{root, document};
      for (const std::string& key : path) {
        const auto next = Enter(at.node, key);
        if (!next) break;
        at.node.reset(next->node);
        at.line = next->line;
      }
      return at.line;
    }
  } catch (const std::exception&) {
    // What cannot be found is in the document.
  }
  return document;
}

}  // namespace annex::json
