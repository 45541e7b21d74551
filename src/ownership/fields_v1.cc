#include "annex/ownership/fields_v1.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace annex::ownership {
namespace {

using json::Value;

struct Contents {
  FieldSet children;
  bool member = false;
};

// The order of keys is not that of elements ("v:10" comes before "v:9"), and a node that is inserted between
// others moves all behind it: 100,000 numbers would take a minute.
FieldSet SetOf(std::vector<FieldSet::Node> nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const auto& left, const auto& right) { return left.element < right.element; });
  FieldSet set;
  set.Reserve(nodes.size());
  for (FieldSet::Node& node : nodes) set.Insert(std::move(node));
  return set;
}

base::Result<Contents> Read(const Value& fields) {
  if (!fields.is_object() && !fields.is_null())
    return base::Error(base::Reason::kBadRequest, "fieldsV1 holds something that is no object");
  Contents contents;
  if (fields.is_object()) {
    std::vector<FieldSet::Node> nodes;
    nodes.reserve(fields.size());
    for (const auto& [key, below] : fields.get_ref<const Value::object_t&>()) {
      if (key == ".") {
        contents.member = true;
        continue;
      }
      ANNEX_TRY(auto element, PathElement::Parse(key));
      if (!element) continue;
      ANNEX_TRY(Contents inner, Read(below));
      FieldSet::Node node{*std::move(element), inner.member};
      if (!inner.children.Empty())
        node.children = std::make_shared<const FieldSet>(std::move(inner.children));
      nodes.push_back(std::move(node));
    }
    contents.children = SetOf(std::move(nodes));
  }
  contents.member = contents.member || contents.children.Empty();
  return contents;
}

}  // namespace

base::Result<FieldSet> ReadFieldsV1(const Value& fields) {
  ANNEX_TRY(Contents contents, Read(fields));
  return std::move(contents.children);
}

Value WriteFieldsV1(const FieldSet& set) {
  Value fields = Value::object();
  for (const FieldSet::Node& node : set.nodes()) {
    Value below = node.children ? WriteFieldsV1(*node.children) : Value(Value::object());
    if (node.member && node.children) below["."] = Value::object();
    fields[node.element.Serialize()] = std::move(below);
  }
  return fields;
}

}  // namespace annex::ownership
