#include "list_type.h"

#include "annex/json/write.h"
#include "compare.h"
#include "limits.h"
#include "path.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::Value;

// What distinguishes an item of a list: a set's whole item, a map's key. nullptr in `parts` is a key field
// that is not there.
using Identity = std::vector<const Value*>;

// Scalars are the same if value and type are; arrays and objects, and keys of several fields, if their JSON
// is.
bool IsSameIdentity(const Identity& a, const Identity& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] == nullptr) != (b[i] == nullptr)) return false;
    if (a[i] == nullptr) continue;
    const bool by_json = a.size() > 1 || a[i]->is_structured();
    if (by_json ? !IsSameJson(*a[i], *b[i]) : !IsSameValue(*a[i], *b[i])) return false;
  }
  return true;
}

std::string TextOf(const Identity& identity) {
  std::string text;
  for (const Value* part : identity) {
    if (part == nullptr) {
      text += '-';
    } else {
      text += '+';
      text += identity.size() > 1 || part->is_structured() ? json::ToJson(*part) : ValueKey(*part);
    }
    text += '\n';
  }
  return text;
}

// The places where an identity occurs for the second time, in their order.
std::vector<std::size_t> FindRepeated(const std::vector<Identity>& identities) {
  std::unordered_map<std::string, std::size_t> seen;
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    if (++seen[TextOf(identities[i])] == 2) repeated.push_back(i);
  }
  return repeated;
}

bool AnyRepeated(const std::vector<Identity>& identities) {
  // Comparing each with each is cheaper than keys for the short lists that nearly all are.
  constexpr std::size_t kShort = 16;
  if (identities.size() > kShort) return !FindRepeated(identities).empty();
  for (std::size_t i = 1; i < identities.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (IsSameIdentity(identities[i], identities[j])) return true;
    }
  }
  return false;
}

class Finder {
 public:
  void Walk(const Value& value, const Node& node, const PathFrame& at) {
    if (!node.list_types_below) return;
    if (value.is_object()) {
      WalkMembers(value.get_ref<const Value::object_t&>(), node, at);
    } else if (value.is_array()) {
      WalkItems(value.get_ref<const Value::array_t&>(), node, at);
    }
  }

  void WalkMembers(const Value::object_t& members, const Node& node, const PathFrame& at) {
    // Upstream looks at properties as values of the map too.
    if (node.additional_properties) {
      for (const auto& [name, member] : members) Walk(member, *node.additional_properties, at.Key(name));
    }
    for (const auto& [name, member] : members) {
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) Walk(member, property->second, at.Property(name));
    }
  }

  FieldErrors Take() { return std::move(errors_); }

 private:
  static json::FieldPath PathOf(const PathFrame& at) { return json::FieldPath(FieldPathText(at)); }

  void WalkItems(const Value::array_t& items, const Node& node, const PathFrame& at) {
    if (node.list_type == ListType::kSet) CheckSet(items, at);
    if (node.list_type == ListType::kMap) CheckMap(items, node.list_map_keys, at);
    if (!node.items) return;
    for (std::size_t i = 0; i < items.size(); ++i) Walk(items[i], *node.items, at.Index(i));
  }

  bool IsFull() const { return errors_.size() >= kMaxErrors || bytes_ >= kMaxErrorBytes; }

  void Add(json::FieldError error) {
    bytes_ += error.field.size() + error.body.size();
    errors_.push_back(std::move(error));
  }

  void CheckSet(const Value::array_t& items, const PathFrame& at) {
    if (items.size() < 2) return;
    std::vector<Identity> identities;
    identities.reserve(items.size());
    for (const Value& item : items) identities.push_back({&item});
    if (!AnyRepeated(identities)) return;
    for (const std::size_t i : FindRepeated(identities)) {
      if (IsFull()) return;
      Add(json::DuplicateError(PathOf(at.Index(i)), items[i]));
    }
  }

  void CheckMap(const Value::array_t& items, const std::vector<std::string>& keys, const PathFrame& at) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_object() || items[i].is_null()) continue;
      if (!IsFull()) {
        Add(json::InvalidError(PathOf(at.Index(i)), items[i],
                               "must be an object for an array of list-type map"));
      }
      return;
    }
    if (items.size() < 2) return;
    std::vector<Identity> identities;
    identities.reserve(items.size());
    for (const Value& item : items) {
      Identity& identity = identities.emplace_back();
      for (const std::string& key : keys) identity.push_back(json::Find(item, key));
    }
    if (!AnyRepeated(identities)) return;
    for (const std::size_t i : FindRepeated(identities)) {
      if (IsFull()) return;
      Value shown = Value::object();
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (identities[i][k] != nullptr) shown[keys[k]] = *identities[i][k];
      }
      Add(json::DuplicateError(PathOf(at.Index(i)), shown));
    }
  }

  FieldErrors errors_;
  std::size_t bytes_ = 0;
};

}  // namespace

FieldErrors FindDuplicates(const Value& object, const Node& root) {
  if (!root.list_types_below || !object.is_object()) return {};
  Finder finder;
  finder.WalkMembers(object.get_ref<const Value::object_t&>(), root, PathFrame::Root());
  return finder.Take();
}

}  // namespace annex::schema
