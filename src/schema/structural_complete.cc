#include "limits.h"
#include "structural.h"

#include <string>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

// Two places at once: what checks values, and the structure that it must find.
class Completeness {
 public:
  explicit Completeness(FieldErrors& errors) : errors_(errors) {}

  // `structure` is nullptr where there is none.
  void CheckBranches(const Value& checks, const Value* structure, const PathFrame& structure_at,
                     const PathFrame& checks_at) {
    if (const Value* not_schema = Keyword(checks, "not")) {
      CheckNested(*not_schema, structure, structure_at, checks_at.Property("not"));
    }
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const Value* branches = Keyword(checks, keyword);
      if (branches == nullptr || !branches->is_array()) continue;
      const PathFrame place = checks_at.Property(keyword);
      for (std::size_t i = 0; i < branches->size(); ++i) {
        CheckNested((*branches)[i], structure, structure_at, place.Index(i));
      }
    }
  }

 private:
  void CheckNested(const Value& checks, const Value* structure, const PathFrame& structure_at,
                   const PathFrame& checks_at) {
    if (errors_.size() >= kMaxErrors) return;
    if (structure == nullptr) {
      const std::string why = "because it is defined in " + FieldPathText(checks_at);
      errors_.push_back(json::RequiredError(FieldPath(FieldPathText(structure_at)), why));
      return;
    }
    CheckBranches(checks, structure, structure_at, checks_at);
    if (const Value* items = Keyword(checks, "items")) {
      CheckNested(*items, Keyword(*structure, "items"), structure_at.Property("items"),
                  checks_at.Property("items"));
    }
    const PathFrame structure_properties = structure_at.Property("properties");
    const PathFrame checks_properties = checks_at.Property("properties");
    const auto& specified = Members(*structure, "properties");
    for (const auto& [name, property] : Members(checks, "properties")) {
      const auto found = specified.find(name);
      CheckNested(property, found == specified.end() ? nullptr : &found->second,
                  structure_properties.Key(name), checks_properties.Key(name));
    }
  }

  FieldErrors& errors_;
};

}  // namespace

const Value* Keyword(const Value& schema, std::string_view keyword) {
  const Value* value = json::Find(schema, keyword);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool Flag(const Value& schema, std::string_view keyword) {
  return json::FlagAt(schema, {keyword});
}

std::string_view TypeOf(const Value& schema) {
  return json::TextAt(schema, {"type"});
}

const Value::object_t& Members(const Value& schema, std::string_view keyword) {
  static const Value::object_t kNone;
  const Value* value = Keyword(schema, keyword);
  return value != nullptr && value->is_object() ? value->get_ref<const Value::object_t&>() : kNone;
}

bool IsSpecified(const Value& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  if (value.is_array()) return !value.empty();
  return !value.is_null();
}

void CheckCompleteness(const Value& schema, const PathFrame& at, FieldErrors& errors) {
  Completeness(errors).CheckBranches(schema, &schema, at, at);
}

}  // namespace annex::schema
