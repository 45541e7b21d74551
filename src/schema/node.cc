#include "annex/schema/node.h"

namespace annex::schema {

const Node* Node::Field(std::string_view name) const {
  const auto property = properties.find(name);
  return property != properties.end() ? &property->second : additional_properties.get();
}

const Node* Node::Find(const std::vector<std::string>& path) const {
  const Node* node = this;
  for (const std::string& name : path) {
    node = node->Field(name);
    if (node == nullptr) return nullptr;
  }
  return node;
}

}  // namespace annex::schema
