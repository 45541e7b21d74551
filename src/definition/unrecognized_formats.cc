// pkg/registry/customresourcedefinition/strategy.go: the formats that a definition's author is warned about.
#include "annex/definition/validate.h"
#include "annex/schema/format.h"

#include <algorithm>

namespace annex::definition {
namespace {

using json::Value;

class Collector {
 public:
  void Walk(const Value& schema) {
    if (!schema.is_object()) return;
    const std::string& format = json::TextAt(schema, {"format"});
    if (!format.empty() && json::TextAt(schema, {"type"}) == "string" && !schema::IsKnownFormat(format))
      formats_.push_back(format);
    if (const Value* items = json::Find(schema, "items")) Walk(*items);
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      for (const Value& branch : json::ItemsAt(schema, {keyword})) Walk(branch);
    }
    if (const Value* inner = json::Find(schema, "not")) Walk(*inner);
    if (const Value* properties = json::Find(schema, "properties");
        properties != nullptr && properties->is_object()) {
      for (const auto& [name, property] : properties->get_ref<const Value::object_t&>()) Walk(property);
    }
    if (const Value* additional = json::Find(schema, "additionalProperties")) Walk(*additional);
  }

  std::vector<std::string> Take() { return std::move(formats_); }

 private:
  std::vector<std::string> formats_;
};

}  // namespace

std::vector<std::string> UnrecognizedFormats(const Value& definition) {
  const auto& versions = json::ItemsAt(definition, {"spec", "versions"});
  const auto schema_of = [](const Value& version) {
    const Value* schema = json::FindPath(version, {"schema", "openAPIV3Schema"});
    return schema == nullptr ? Value() : *schema;
  };
  // A schema that all versions have is looked at once.
  const bool same = std::all_of(versions.begin(), versions.end(), [&](const Value& version) {
    return schema_of(version) == schema_of(versions.front());
  });
  Collector collector;
  for (const Value& version : versions) {
    collector.Walk(schema_of(version));
    if (same) break;
  }
  return collector.Take();
}

}  // namespace annex::definition
