// A YAML body becomes JSON that can be written and read as both.
#include "annex/json/yaml.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  const std::string_view text = fuzz::Text(data, size);
  static_cast<void>(json::ParseYamlDocuments(text));
  json::YamlReport report;
  const auto value = json::ParseYaml(text, &report);
  if (!value) return 0;
  const std::string as_json = json::ToJson(*value);
  const auto read = json::Parse(as_json);
  ANNEX_CHECK(read.has_value(), "what YAML says is JSON");
  const auto again = json::ParseYaml(json::ToYaml(*read));
  ANNEX_CHECK(again.has_value(), "what was written as YAML can be read");
  ANNEX_CHECK(json::ToJson(*again) == as_json, "YAML that was written says the same");
  return 0;
}
