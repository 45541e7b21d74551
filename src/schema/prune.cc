// pkg/apiserver/schema/pruning/algorithm.go and defaulting/prunenulls.go.
#include "prune.h"

#include "limits.h"
#include "path.h"

#include <algorithm>
#include <string_view>

namespace annex::schema {
namespace {

using json::Value;

bool IsMetaField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>* unknown_fields) : unknown_fields_(unknown_fields) {}

  // `embedded`: whether the object keeps its meta fields.
  void PruneMembers(Value::object_t& members, const Node& node, bool embedded, const PathFrame& at) {
    for (auto member = members.begin(); member != members.end();) {
      const auto& [name, value] = *member;
      if (embedded && IsMetaField(name)) {
        ++member;
        continue;
      }
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) {
        Prune(member->second, &property->second, at.Property(name));
      } else if (node.additional_properties_allowed.has_value()) {
        Prune(member->second, node.additional_properties.get(), at.Property(name));
      } else if (!node.preserve_unknown_fields) {
        Record(at.Property(name));
        member = members.erase(member);
        continue;
      }
      ++member;
    }
  }

 private:
  // Without a schema (below `additionalProperties: true`, or items of nothing) no field is known.
  void Prune(Value& value, const Node* node, const PathFrame& at) {
    if (value.is_object()) {
      auto& members = value.get_ref<Value::object_t&>();
      if (node != nullptr) {
        PruneMembers(members, *node, node->embedded_resource, at);
      } else {
        for (const auto& [name, member] : members) Record(at.Property(name));
        members.clear();
      }
    } else if (value.is_array()) {
      const Node* items = node == nullptr ? nullptr : node->items.get();
      if (node != nullptr && node->preserve_unknown_fields) {
        PruneKnownItems(value, items, at);
      } else {
        auto& list = value.get_ref<Value::array_t&>();
        for (std::size_t i = 0; i < list.size(); ++i) Prune(list[i], items, at.Index(i));
      }
    }
  }

  // Items of an array whose unknown fields are preserved: so are those of the items, except below fields that
  // are specified.
  void PruneKnownItems(Value& value, const Node* items, const PathFrame& at) {
    if (items == nullptr) return;
    auto& list = value.get_ref<Value::array_t&>();
    for (std::size_t i = 0; i < list.size(); ++i) SkipPrune(list[i], *items, at.Index(i));
  }

  void SkipPrune(Value& value, const Node& node, const PathFrame& at) {
    if (value.is_array()) {
      PruneKnownItems(value, node.items.get(), at);
    } else if (value.is_object()) {
      for (auto& [name, member] : value.get_ref<Value::object_t&>()) {
        if (node.embedded_resource && IsMetaField(name)) continue;
        const auto property = node.properties.find(name);
        if (property != node.properties.end()) {
          Prune(member, &property->second, at.Property(name));
        } else if (node.additional_properties_allowed.has_value()) {
          Prune(member, node.additional_properties.get(), at.Property(name));
        }
      }
    }
  }

  void Record(const PathFrame& at) {
    if (unknown_fields_ == nullptr || count_ >= kMaxErrors || bytes_ >= kMaxErrorBytes) return;
    unknown_fields_->push_back(DottedPath(at));
    ++count_;
    bytes_ += unknown_fields_->back().size();
  }

  std::vector<std::string>* const unknown_fields_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

void PruneObject(Value& object, const Node& root, std::vector<std::string>* unknown_fields) {
  if (!object.is_object()) return;
  const std::size_t before = unknown_fields == nullptr ? 0 : unknown_fields->size();
  Pruner(unknown_fields).PruneMembers(object.get_ref<Value::object_t&>(), root, true, PathFrame::Root());
  if (unknown_fields == nullptr) return;
  std::sort(unknown_fields->begin() + static_cast<std::ptrdiff_t>(before), unknown_fields->end());
}

void PruneNulls(Value& value, const Node& node) {
  if (value.is_object()) {
    auto& members = value.get_ref<Value::object_t&>();
    for (auto member = members.begin(); member != members.end();) {
      const Node* field = node.Field(member->first);
      if (field != nullptr && member->second.is_null() && !field->nullable && !field->default_value) {
        member = members.erase(member);
        continue;
      }
      if (field != nullptr) PruneNulls(member->second, *field);
      ++member;
    }
  } else if (value.is_array() && node.items) {
    for (Value& item : value.get_ref<Value::array_t&>()) PruneNulls(item, *node.items);
  }
}

}  // namespace annex::schema
