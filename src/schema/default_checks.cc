#include "annex/schema/default_checks.h"

#include "annex/base/strings.h"
#include "annex/schema/default_place.h"
#include "annex/schema/object_meta.h"
#include "coerce.h"
#include "compile.h"
#include "embedded.h"
#include "fits.h"
#include "prune.h"
#include "validator.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

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

// The schema of an object with one field, whose schema is a node. The node is moved here and back, as schemas
// can be large and deep.
class Wrapped {
 public:
  // `resource`: whether the node is that of a whole resource, be it marked as one or not.
  Wrapped(Node& node, bool resource)
      : node_(node), marked_(node.embedded_resource), embedded_below_(node.embedded_below) {
    node.embedded_resource = marked_ || resource;
    node.embedded_below = embedded_below_ || node.embedded_resource;
    object_.type = Type::kObject;
    object_.defaults_below = true;
    object_.embedded_below = node.embedded_below;
    object_.list_types_below = node.list_types_below;
    std::swap(Inner(), node);
  }
  ~Wrapped() {
    std::swap(Inner(), node_);
    node_.embedded_resource = marked_;
    node_.embedded_below = embedded_below_;
  }
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;

  const Node& node() const { return object_; }
  const Node& inner() const { return object_.properties.begin()->second; }

 private:
  Node& Inner() { return object_.properties[std::string(kField)]; }

  Node& node_;
  const bool marked_;
  const bool embedded_below_;
  Node object_;
};

Value Wrap(const Value& value) {
  return {{std::string(kField), value}};
}

// The metadata of embedded resources is read, not pruned.
void EraseMetadata(Value& value, const Node& node) {
  if (!node.embedded_below) return;
  if (value.is_array() && node.items) {
    for (Value& item : value) EraseMetadata(item, *node.items);
  }
  if (!value.is_object()) return;
  if (node.embedded_resource) value.erase("metadata");
  for (auto& [name, member] : value.get_ref<Value::object_t&>()) {
    if (const Node* field = node.Field(name)) EraseMetadata(member, *field);
  }
}

// Reads an object as a request's, with all that a strict reader complains about.
base::Result<void> Read(Value& object, const Node& root, std::vector<std::string>& unknown) {
  ANNEX_RETURN_IF_ERROR(CoerceObjectMeta(object, MalformedFields::kRefuse, "", &unknown));
  PruneObject(object, root, &unknown);
  PruneNulls(object, root);
  return CoerceEmbedded(object, root, {MalformedFields::kRefuse, false}, &unknown);
}

// Whether upstream looks at a default: not at that of an integer or a string.
bool IsChecked(const Node& node) {
  return node.default_value && !node.default_value->is_null() && node.type != Type::kIntOrString;
}

class DefaultChecker {
 public:
  struct Place {
    Node* resource = nullptr;  // the schema of the nearest resource around
    bool in_metadata = false;  // in its metadata, apiVersion or kind
  };

  void Check(Node& node, const FieldPath& path, Place place);
  FieldErrors Take() { return std::move(errors_); }

 private:
  void Below(Node& node, const FieldPath& path, Place place, DefaultPlace::Step step) {
    steps_.Enter(step);
    Check(node, path, place);
    steps_.Leave();
  }
  void CheckValue(Node& node, bool resource, const FieldPath& path);
  void CheckInMetadata(Node& node, Node& resource, const FieldPath& path);
  void CheckBySchema(const Node& whole, const Value& value, const FieldPath& path);

  FieldErrors errors_;
  DefaultPlace steps_;  // from the resource to here
};

void DefaultChecker::CheckBySchema(const Node& whole, const Value& value, const FieldPath& path) {
  const Value object = Wrap(value);
  FieldErrors found = CheckEmbedded(object, whole);
  if (found.empty() && !Fits(whole, object)) found = Explain(whole, object, "", nullptr);
  for (json::FieldError& error : found) {
    const bool placed = error.field.starts_with(kField);
    const std::string below = placed ? error.field.substr(kField.size()) : "";
    error.field = path.Text() + (below.starts_with('[') ? "." : "") + below;
    Erase(error.body, kField);
    Erase(error.body, kQuotedField);
    errors_.push_back(std::move(error));
  }
}

void DefaultChecker::CheckValue(Node& node, bool resource, const FieldPath& path) {
  const Value value = *node.default_value;
  const Wrapped wrapped(node, resource);
  Value pruned = Wrap(value);
  EraseMetadata(pruned, wrapped.node());
  std::vector<std::string> unknown;
  if (Read(pruned, wrapped.node(), unknown) && !unknown.empty()) {
    errors_.push_back(json::InvalidError(path, value, "must not have unknown fields"));
  }
  CheckBySchema(wrapped.node(), value, path);
}

void DefaultChecker::CheckInMetadata(Node& node, Node& resource, const FieldPath& path) {
  const Value value = *node.default_value;
  Value object = steps_.Around(value);
  object.emplace("apiVersion", "validation/v1");
  object.emplace("kind", "Validation");
  std::vector<std::string> unknown;
  const auto refuse = [&](const std::string& why) {
    errors_.push_back(json::InvalidError(path, value, "must result in valid metadata: " + why));
  };
  {
    const Wrapped around(resource, true);
    if (const auto read = Read(object, around.inner(), unknown); !read) return refuse(read.error().message);
    if (const FieldErrors found = CheckEmbedded(object, around.inner()); !found.empty())
      return refuse(Together(found));
  }
  const Wrapped wrapped(node, false);
  CheckBySchema(wrapped.node(), value, path);
}

void DefaultChecker::Check(Node& node, const FieldPath& path, Place place) {
  const bool is_resource = node.embedded_resource || place.resource == nullptr;
  DefaultPlace outer_steps;
  if (is_resource) {
    place = {&node, false};
    outer_steps = std::exchange(steps_, {});
  }
  if (IsChecked(node) && place.in_metadata) CheckInMetadata(node, *place.resource, path.Child("default"));
  if (IsChecked(node) && !place.in_metadata) CheckValue(node, is_resource, path.Child("default"));
  // Upstream leaves out what is below additionalProperties.
  if (node.items) Below(*node.items, path.Child("items"), place, DefaultPlace::kItem);
  for (auto& [name, property] : node.properties) {
    Place inside = place;
    inside.in_metadata = place.in_metadata || (is_resource && IsMetaField(name));
    Below(property, path.Child("properties").Key(name), inside, name);
  }
  if (is_resource) steps_ = std::move(outer_steps);
}

// Whether there is an embedded resource anywhere in a schema: most have none, and need not be compiled.
bool HasEmbedded(const Value& schema) {
  if (schema.is_array()) return std::any_of(schema.begin(), schema.end(), HasEmbedded);
  if (!schema.is_object()) return false;
  if (json::FlagAt(schema, {"x-kubernetes-embedded-resource"})) return true;
  const auto& members = schema.get_ref<const Value::object_t&>();
  return std::any_of(members.begin(), members.end(),
                     [](const auto& member) { return HasEmbedded(member.second); });
}

// `schema` is what `node` was read from. Within metadata a copy of the value is read.
void ReadDefaultsBelow(Value& schema, Node& node, bool root) {
  const bool is_resource = root || node.embedded_resource;
  if (IsChecked(node)) {
    Value read = Wrap(*node.default_value);
    const Wrapped wrapped(node, root);
    if (CoerceEmbedded(read, wrapped.node(), {MalformedFields::kRefuse, false}, nullptr))
      schema["default"] = std::move(read[std::string(kField)]);
  }
  if (node.items) ReadDefaultsBelow(schema["items"], *node.items, false);
  for (auto& [name, property] : node.properties) {
    if (!is_resource || !IsMetaField(name)) ReadDefaultsBelow(schema["properties"][name], property, false);
  }
}

}  // namespace

FieldErrors CheckDefaults(const Value& schema, const FieldPath& path) {
  auto root = ReadNode(schema);
  if (!root) return {};
  Summarize(**root);
  DefaultChecker checker;
  checker.Check(**root, path, {});
  return checker.Take();
}

void ReadDefaults(Value& schema) {
  if (!HasEmbedded(schema) && json::Find(schema, "default") == nullptr) return;
  auto root = ReadNode(schema);
  if (!root) return;
  Summarize(**root);
  ReadDefaultsBelow(schema, **root, true);
}

}  // namespace annex::schema
