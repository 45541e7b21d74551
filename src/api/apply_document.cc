#include "apply_document.h"

#include "annex/base/strings.h"
#include "annex/json/yaml.h"
#include "status_text.h"

#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr const char* kConverting = "error converting YAML to JSON: ";

void MakeNumbersFloat(Value& value) {
  if (value.is_number_integer()) {
    value = static_cast<double>(value.get<std::int64_t>());
  } else if (value.is_structured()) {
    for (Value& inner : value) MakeNumbersFloat(inner);
  }
}

std::string GoKind(const Value& value) {
  if (value.is_boolean()) return "bool";
  return value.is_number() ? "number" : std::string(json::TypeName(value));
}

}  // namespace

base::Result<ApplyDocument> ApplyDocument::Read(const std::string& body) {
  ApplyDocument document;
  json::YamlReport report;
  auto parsed = json::ParseYaml(body, &report);
  if (!parsed)
    return base::Error(
        BadRequest(std::string("error decoding YAML: ") + kConverting + parsed.error().message));
  if (parsed->is_null()) parsed = Value::object();
  if (!parsed->is_object()) {
    return base::Error(BadRequest(
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal " +
        GoKind(*parsed) + " into Go value of type map[string]interface {}"));
  }
  document.object_ = *std::move(parsed);
  MakeNumbersFloat(document.object_);
  for (const auto& duplicate : report.duplicate_keys) document.complaints_.push_back(duplicate.Message());
  return document;
}

base::Result<void> ApplyDocument::Complain(Context& context, FieldValidation validation) const {
  if (complaints_.empty() || validation == FieldValidation::kIgnore) return {};
  if (validation == FieldValidation::kStrict) {
    return base::Error(BadRequest(std::string("error strict decoding YAML: ") + kConverting +
                                  "yaml: unmarshal errors:\n  " + base::Join(complaints_, "\n  ")));
  }
  for (const std::string& complaint : complaints_) context.Warn(complaint);
  return {};
}

}  // namespace annex::api
