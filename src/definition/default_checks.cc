#include "default_checks.h"

#include "annex/base/strings.h"
#include "annex/schema/default_place.h"
#include "annex/schema/object_meta.h"
#include "annex/schema/schema.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

constexpr const char* kEmbedded = "x-kubernetes-embedded-resource";

// A value is checked as the only field of an object, whose name is then taken away again.
constexpr std::string_view kField = "\x01";
constexpr std::string_view kQuotedField = "\\x01";

bool IsMetaField(std::string_view name) {
  return name == "metadata" || name == "apiVersion" || name == "kind";
}

// "a: x" for one message, "[a: x, b: y]" for more, as Go shows several errors.
std::string Together(const FieldErrors& errors) {
  std::vector<std::string> messages;
  for (const json::FieldError& error : errors) messages.push_back(error.Message());
  return messages.size() == 1 ? messages[0] : "[" + base::Join(messages, ", ") + "]";
}

void Erase(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    const auto end = at + part.size();
    text.erase(at, end < text.size() && text[end] == '.' ? part.size() + 1 : part.size());
  }
}

// Calls `visit` with each embedded resource in a value.
template <typename Visit>
void ForEmbedded(Value& value, const Value& schema, const Visit& visit) {
  if (value.is_array()) {
    const Value* items = json::Find(schema, "items");
    for (Value& item : value) {
      if (items != nullptr) ForEmbedded(item, *items, visit);
    }
  }
  if (!value.is_object()) return;
  if (json::FlagAt(schema, {kEmbedded})) visit(value);
  const Value* properties = json::Find(schema, "properties");
  const Value* additional = json::Find(schema, "additionalProperties");
  for (auto& [name, member] : value.get_ref<Value::object_t&>()) {
    const Value* inner = properties == nullptr ? nullptr : json::Find(*properties, name);
    if (inner == nullptr && additional != nullptr && additional->is_object()) inner = additional;
    if (inner != nullptr) ForEmbedded(member, *inner, visit);
  }
}

// Metadata that cannot be read stays, and is reported by the checks.
void ReadMetadata(Value& resource) {
  Value read = resource;
  if (schema::CoerceObjectMeta(read, schema::MalformedFields::kRefuse, "", nullptr))
    resource = std::move(read);
}

// The default of a schema, if upstream looks at it: not at that of an integer or a string.
const Value* CheckedDefault(const Value& schema) {
  const Value* value = json::Find(schema, "default");
  const bool any_type = json::FlagAt(schema, {"x-kubernetes-int-or-string"});
  return value == nullptr || value->is_null() || any_type ? nullptr : value;
}

// `root`: the schema of a whole resource, which need not say that it is one.
void ReadDefaultsBelow(Value& schema, bool root) {
  if (!schema.is_object()) return;
  const bool is_resource = root || json::FlagAt(schema, {kEmbedded});
  if (CheckedDefault(schema) != nullptr) {
    Value read = schema["default"];
    ForEmbedded(read, schema, ReadMetadata);
    if (root) ReadMetadata(read);
    schema["default"] = std::move(read);
  }
  if (Value* items = json::Find(schema, "items")) ReadDefaultsBelow(*items, false);
  Value* properties = json::Find(schema, "properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (auto& [name, inner] : properties->get_ref<Value::object_t&>()) {
    // Within metadata a copy of the value is read.
    if (!is_resource || !IsMetaField(name)) ReadDefaultsBelow(inner, false);
  }
}

class DefaultChecker {
 public:
  struct Place {
    const Value* resource = nullptr;  // the schema of the nearest resource around
    bool in_metadata = false;         // in its metadata, apiVersion or kind
  };

  void Check(const Value& schema, const FieldPath& path, Place place);
  FieldErrors Take() { return std::move(errors_); }

 private:
  using Step = schema::DefaultPlace::Step;

  void Below(const Value& schema, const FieldPath& path, Place place, Step step) {
    steps_.Enter(step);
    Check(schema, path, place);
    steps_.Leave();
  }
  void CheckDefault(const Value& schema, const FieldPath& path, const Place& place);
  void CheckValue(const Value& schema, const Value& value, const FieldPath& path);
  void CheckInMetadata(const Value& schema, const Value& value, const FieldPath& path, const Value& resource);
  void CheckBySchema(const schema::Schema& whole, const Value& value, const FieldPath& path);
  static Value WholeOf(const Value& schema) {
    return {{"type", "object"}, {"properties", {{std::string(kField), schema}}}};
  }

  FieldErrors errors_;
  schema::DefaultPlace steps_;  // from the resource to here
};

void DefaultChecker::CheckBySchema(const schema::Schema& whole, const Value& value, const FieldPath& path) {
  const Value object = {{std::string(kField), value}};
  FieldErrors found = whole.ValidateEmbedded(object);
  if (found.empty()) found = whole.Validate(object);
  for (json::FieldError& error : found) {
    const bool placed = error.field.starts_with(kField);
    const std::string below = placed ? error.field.substr(kField.size()) : "";
    error.field = path.Text() + (below.starts_with('[') ? "." : "") + below;
    Erase(error.body, kField);
    Erase(error.body, kQuotedField);
    errors_.push_back(std::move(error));
  }
}

void DefaultChecker::CheckValue(const Value& schema, const Value& value, const FieldPath& path) {
  const auto whole = schema::Schema::Compile(WholeOf(schema));
  if (!whole) return;
  Value pruned = {{std::string(kField), value}};
  // The metadata of embedded resources is read, not pruned.
  ForEmbedded(pruned[std::string(kField)], schema, [](Value& resource) { resource.erase("metadata"); });
  std::vector<std::string> unknown;
  if ((*whole)->Coerce(pruned, schema::MalformedFields::kRefuse, &unknown) && !unknown.empty()) {
    errors_.push_back(json::InvalidError(path, value, "must not have unknown fields"));
  }
  CheckBySchema(**whole, value, path);
}

void DefaultChecker::CheckInMetadata(const Value& schema, const Value& value, const FieldPath& path,
                                     const Value& resource) {
  Value embedded = resource;
  embedded[kEmbedded] = true;
  const auto around = schema::Schema::Compile(embedded);
  const auto whole = schema::Schema::Compile(WholeOf(schema));
  if (!around || !whole) return;
  Value object = steps_.Around(value);
  object.emplace("apiVersion", "validation/v1");
  object.emplace("kind", "Validation");
  const auto refuse = [&](const std::string& why) {
    errors_.push_back(json::InvalidError(path, value, "must result in valid metadata: " + why));
  };
  if (const auto read = (*around)->Coerce(object, schema::MalformedFields::kRefuse, nullptr); !read) {
    refuse(read.error().message);
  } else if (const FieldErrors found = (*around)->ValidateEmbedded(object); !found.empty()) {
    refuse(Together(found));
  } else {
    CheckBySchema(**whole, value, path);
  }
}

void DefaultChecker::CheckDefault(const Value& schema, const FieldPath& path, const Place& place) {
  const Value* value = CheckedDefault(schema);
  if (value == nullptr) return;
  if (place.in_metadata) {
    CheckInMetadata(schema, *value, path.Child("default"), *place.resource);
  } else if (place.resource == &schema) {
    Value resource = schema;
    resource[kEmbedded] = true;
    CheckValue(resource, *value, path.Child("default"));
  } else {
    CheckValue(schema, *value, path.Child("default"));
  }
}

void DefaultChecker::Check(const Value& schema, const FieldPath& path, Place place) {
  if (!schema.is_object()) return;
  const bool is_resource = json::FlagAt(schema, {kEmbedded}) || place.resource == nullptr;
  schema::DefaultPlace outer_steps;
  if (is_resource) {
    place = {&schema, false};
    outer_steps = std::exchange(steps_, {});
  }
  CheckDefault(schema, path, place);
  // Upstream leaves out what is below additionalProperties.
  if (const Value* items = json::Find(schema, "items"))
    Below(*items, path.Child("items"), place, schema::DefaultPlace::kItem);
  const Value* properties = json::Find(schema, "properties");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, inner] : properties->get_ref<const Value::object_t&>()) {
      Place inside = place;
      inside.in_metadata = place.in_metadata || (is_resource && IsMetaField(name));
      Below(inner, path.Child("properties").Key(name), inside, name);
    }
  }
  if (is_resource) steps_ = std::move(outer_steps);
}

}  // namespace

FieldErrors CheckDefaults(const Value& schema, const FieldPath& path) {
  DefaultChecker checker;
  checker.Check(schema, path, {});
  return checker.Take();
}

void ReadDefaults(Value& schema) {
  ReadDefaultsBelow(schema, true);
}

}  // namespace annex::definition
