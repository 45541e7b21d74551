// pkg/apiserver/schema/objectmeta/algorithm.go.
#include "coerce.h"

#include "annex/json/field_error.h"
#include "path.h"

#include <algorithm>
#include <utility>

namespace annex::schema {
namespace {

using json::Value;

class Coercer {
 public:
  Coercer(MalformedFields malformed, std::vector<std::string>* unknown_fields)
      : malformed_(malformed), unknown_fields_(unknown_fields) {}

  base::Result<void> Walk(Value& value, const Node& node, const PathFrame& at, bool embedded) {
    if (value.is_array() && node.items && node.items->embedded_below) {
      auto& items = value.get_ref<Value::array_t&>();
      for (std::size_t i = 0; i < items.size(); ++i) {
        ANNEX_RETURN_IF_ERROR(Walk(items[i], *node.items, at.Index(i), node.items->embedded_resource));
      }
    }
    if (!value.is_object()) return {};
    auto& members = value.get_ref<Value::object_t&>();
    for (auto member = members.begin(); member != members.end();) {
      if (embedded && IsMalformedType(*member)) {
        if (malformed_ == MalformedFields::kRefuse) {
          return Refuse(at.Property(member->first), member->second, "must be a string");
        }
        member = members.erase(member);
        continue;
      }
      ANNEX_RETURN_IF_ERROR(WalkMember(*member, node, at, embedded));
      ++member;
    }
    return {};
  }

 private:
  using Member = Value::object_t::value_type;

  static bool IsMalformedType(const Member& member) {
    return (member.first == "apiVersion" || member.first == "kind") && !member.second.is_string();
  }

  base::Result<void> WalkMember(Member& member, const Node& node, const PathFrame& at, bool embedded) {
    auto& [name, value] = member;
    if (embedded && name == "metadata") ANNEX_RETURN_IF_ERROR(CoerceMetadata(value, at.Property(name)));
    const auto property = node.properties.find(name);
    const bool known = property != node.properties.end();
    const Node* field = known ? &property->second : node.additional_properties.get();
    if (field == nullptr || !field->embedded_below) return {};
    return Walk(value, *field, known ? at.Property(name) : at.Key(name), field->embedded_resource);
  }

  base::Result<void> CoerceMetadata(Value& metadata, const PathFrame& at) {
    // An error shows the value as it came.
    Value read = metadata;
    const std::string path = unknown_fields_ == nullptr ? std::string() : FieldPathText(at);
    const auto result = ReadObjectMeta(read, malformed_, path, unknown_fields_);
    if (result) {
      metadata = std::move(read);
    } else if (malformed_ == MalformedFields::kRefuse) {
      return Refuse(at, metadata, result.error().message);
    }
    return {};
  }

  static base::Result<void> Refuse(const PathFrame& at, const Value& value, std::string_view why) {
    return base::Error(base::Reason::kBadRequest,
                       json::InvalidError(json::FieldPath(FieldPathText(at)), value, why).Message());
  }

  const MalformedFields malformed_;
  std::vector<std::string>* const unknown_fields_;
};

}  // namespace

base::Result<void> CoerceEmbedded(Value& object, const Node& root, EmbeddedOptions options,
                                  std::vector<std::string>* unknown_fields) {
  const bool embedded = root.embedded_resource || options.root_is_resource;
  if (!root.embedded_below && !embedded) return {};
  const std::size_t before = unknown_fields == nullptr ? 0 : unknown_fields->size();
  ANNEX_RETURN_IF_ERROR(
      Coercer(options.malformed, unknown_fields).Walk(object, root, PathFrame::Root(), embedded));
  if (unknown_fields != nullptr) {
    std::sort(unknown_fields->begin() + static_cast<std::ptrdiff_t>(before), unknown_fields->end());
  }
  return {};
}

}  // namespace annex::schema
