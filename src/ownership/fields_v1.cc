#include "annex/ownership/fields_v1.h"

#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

struct Contents {
  FieldSet children;
  bool member = false;
};

base::Result<Contents> Read(const Value& fields) {
  if (!fields.is_object() && !fields.is_null())
    return base::Error(base::Reason::kBadRequest, "fieldsV1 holds something that is no object");
  Contents contents;
  if (fields.is_object()) {
    contents.children.Reserve(fields.size());
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
      contents.children.Insert(std::move(node));
    }
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
