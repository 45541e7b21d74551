#include "annex/definition/read.h"

#include "annex/definition/validate.h"
#include "annex/schema/typed.h"
#include "annex/schema/types.h"

#include <utility>

namespace annex::definition {

using json::Value;

base::Result<std::vector<std::string>> ReadNewDefinition(Value& definition) {
  schema::TypedReport report;
  ANNEX_RETURN_IF_ERROR(schema::ReadTyped(definition, schema::CustomResourceDefinitionType(), "", &report));
  definition.erase("status");
  SetDefaults(definition);
  Value stored = Value::array();
  for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
    if (json::FlagAt(version, {"storage"}) && stored.empty())
      stored.push_back(json::TextAt(version, {"name"}));
  }
  definition["status"]["storedVersions"] = std::move(stored);
  return std::move(report.unknown_fields);
}

}  // namespace annex::definition
