// The recorded definitions and documents of test/data/openapi (its README.md says what they are).
#pragma once

#include "annex/definition/registry.h"
#include "annex/json/read.h"
#include "api/openapi.h"
#include "api/openapi_writer.h"
#include "support/test_files.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

inline std::string OpenApiFile(const std::string& name) {
  return test::ReadTestFile("data/openapi/" + name);
}

inline json::Value OpenApiJson(const std::string& name) {
  return json::Parse(OpenApiFile(name)).value();
}

inline std::shared_ptr<const definition::Resource> CompileDefinition(const json::Value& definition) {
  const auto names = definition::ReadNames(*json::FindPath(definition, {"status", "acceptedNames"}));
  return definition::Resource::Compile(definition, {.names = names}).value();
}

// The recorded definitions with these plurals, or all.
inline std::vector<json::Value> Definitions(std::initializer_list<std::string_view> plurals = {}) {
  std::vector<json::Value> chosen;
  for (const json::Value& definition : OpenApiJson("definitions.json")) {
    const std::string& plural = json::TextAt(definition, {"spec", "names", "plural"});
    const bool wanted = std::find(plurals.begin(), plurals.end(), plural) != plurals.end();
    if (plurals.size() == 0 || wanted) chosen.push_back(definition);
  }
  return chosen;
}

inline definition::Snapshot SnapshotOf(const std::vector<json::Value>& definitions) {
  std::vector<std::shared_ptr<const definition::Resource>> resources;
  for (const json::Value& definition : definitions) resources.push_back(CompileDefinition(definition));
  return definition::Snapshot(std::move(resources));
}

inline std::string Written(OpenApiDocument document, OpenApiEncoding encoding) {
  std::string text;
  OpenApiWriter writer(std::move(document), encoding);
  while (writer.Next(text)) {
  }
  return text;
}

inline json::Value WrittenJson(OpenApiDocument document) {
  return json::Parse(Written(std::move(document), OpenApiEncoding::kJson)).value();
}

}  // namespace annex::api
