#include "converted_object.h"

#include "annex/json/field_error.h"
#include "annex/json/write.h"
#include "annex/schema/object_meta.h"

#include <algorithm>
#include <utility>

namespace annex::conversion {
namespace {

using json::Value;

auto Problem(std::string message) {
  return base::Error(base::Reason::kUnknown, std::move(message));
}

// How Go prints the type of a value that it decoded.
std::string GoType(const Value& value) {
  switch (value.type()) {
    case Value::value_t::object:
      return "map[string]interface {}";
    case Value::value_t::array:
      return "[]interface {}";
    case Value::value_t::string:
      return "string";
    case Value::value_t::boolean:
      return "bool";
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned:
      return "int64";
    case Value::value_t::number_float:
      return "float64";
    case Value::value_t::null:
    case Value::value_t::binary:
    case Value::value_t::discarded:
      break;
  }
  return "<nil>";
}

base::Result<void> CheckIsObject(const Value& converted) {
  if (converted.is_null()) return Problem("unexpected end of JSON input");
  if (!converted.is_object()) {
    const std::string kind = converted.is_number() ? "number" : std::string(json::TypeName(converted));
    return Problem("json: cannot unmarshal " + (kind == "boolean" ? "bool" : kind) +
                   " into Go value of type map[string]interface {}");
  }
  if (!json::TextAt(converted, {"kind"}).empty()) return {};
  return Problem("Object 'Kind' is missing in '" + json::ToJson(converted) + "'");
}

base::Result<void> CheckType(const Value& original, const Value& converted, const std::string& api_version,
                             std::size_t index) {
  const std::string place =
      WebhookFor(original) + " returned invalid object at index " + std::to_string(index) + ": invalid ";
  const auto differs = [&place](const char* what, const std::string& expected, const std::string& received) {
    return Problem(place + what + " (expected " + expected + ", received " + received + ")");
  };
  const std::string& version = json::TextAt(converted, {"apiVersion"});
  if (version != api_version) return differs("groupVersion", api_version, version);
  const std::string& expected = json::TextAt(original, {"kind"});
  const std::string& kind = json::TextAt(converted, {"kind"});
  if (kind != expected) return differs("kind", expected, kind);
  return {};
}

base::Result<void> CheckIdentity(const Value& original, const Value& converted) {
  struct Field {
    const char* name;
    const char* word;
  };
  const auto differs = [&original](const char* word, const std::string& expected, const std::string& found) {
    return Problem(WebhookFor(original) + " returned invalid object: must have the same " + word + ": " +
                   expected + " != " + found);
  };
  for (const Field field : {Field{"name", "name"}, Field{"namespace", "namespace"}, Field{"uid", "UID"}}) {
    const std::string& expected = json::TextAt(original, {"metadata", field.name});
    const std::string& found = json::TextAt(converted, {"metadata", field.name});
    if (found == expected) continue;
    return differs(field.word, expected, found);
  }
  return {};
}

// "a" or "[a, b]", as Go joins errors.
std::string Aggregate(const json::FieldErrors& errors) {
  std::string text;
  for (const json::FieldError& error : errors) text += (text.empty() ? "" : ", ") + error.Message();
  return errors.size() == 1 ? text : "[" + text + "]";
}

base::Result<void> CheckTexts(const Value& map, const std::string& field) {
  if (!map.is_object()) {
    return Problem("invalid metadata." + field + " of type " + GoType(map) + " in converted object");
  }
  const auto& members = map.get_ref<const Value::object_t&>();
  const auto wrong = std::find_if(members.begin(), members.end(),
                                  [](const auto& member) { return !member.second.is_string(); });
  if (wrong == members.end()) return {};
  return Problem("metadata." + field + "[" + wrong->first + "] must be a string, but is " +
                 GoType(wrong->second) + " in converted object");
}

// Labels or annotations of the webhook, in place of the original's. Unchanged ones are not checked again.
base::Result<void> TakeMap(const Value& answered, const std::string& field, Value& metadata) {
  const Value* map = json::Find(answered, field);
  if (map == nullptr || map->is_null()) {
    metadata.erase(field);
    return {};
  }
  ANNEX_RETURN_IF_ERROR(CheckTexts(*map, field));
  const Value* before = json::Find(metadata, field);
  if (before == nullptr || *before != *map) {
    const auto errors = field == "labels"
                            ? schema::ValidateLabels(*map, json::FieldPath("metadata.labels"))
                            : schema::ValidateAnnotations(*map, json::FieldPath("metadata.annotation"));
    if (!errors.empty()) return Problem(Aggregate(errors));
  }
  metadata[field] = *map;
  return {};
}

base::Result<void> RestoreMetadata(const Value& original, Value& converted) {
  const Value* answered = json::Find(converted, "metadata");
  if (answered == nullptr) return Problem("missing metadata in converted object");
  if (!answered->is_object()) {
    return Problem("invalid metadata of type " + GoType(*answered) + " in converted object");
  }
  const Value* before = json::Find(original, "metadata");
  Value metadata = before == nullptr ? Value::object() : *before;
  ANNEX_RETURN_IF_ERROR(TakeMap(*answered, "labels", metadata));
  ANNEX_RETURN_IF_ERROR(TakeMap(*answered, "annotations", metadata));
  converted["metadata"] = std::move(metadata);
  return {};
}

}  // namespace

std::string WebhookFor(const Value& object) {
  return "conversion webhook for " + json::TextAt(object, {"apiVersion"}) +
         ", Kind=" + json::TextAt(object, {"kind"});
}

base::Result<void> AcceptConverted(const Value& original, Value& converted, const std::string& api_version,
                                   std::size_t index) {
  ANNEX_RETURN_IF_ERROR(CheckIsObject(converted));
  ANNEX_RETURN_IF_ERROR(CheckType(original, converted, api_version, index));
  ANNEX_RETURN_IF_ERROR(CheckIdentity(original, converted));
  const auto restored = RestoreMetadata(original, converted);
  if (restored) return {};
  return Problem(WebhookFor(original) + " returned invalid metadata: " + restored.error().message);
}

}  // namespace annex::conversion
