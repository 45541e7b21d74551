#include "annex/json/yaml.h"

#include "yaml_events.h"

namespace annex::json {

std::string YamlReport::Duplicate::Message() const {
  return "line " + std::to_string(line) + ": key " + key + " already set in map";
}

base::Result<Value> ParseYaml(std::string_view text, YamlReport* report) {
  ANNEX_TRY(const YamlEvents events, ParseYamlEvents(ReadYamlText(text)));
  return DecodeYaml(events, report);
}

}  // namespace annex::json
