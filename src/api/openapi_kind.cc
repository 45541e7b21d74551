// What the schema of a kind holds besides what its definition says.
#include "annex/base/strings.h"
#include "openapi_data.h"
#include "openapi_schema.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr const char* kConventions =
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

Value Text(std::string description) {
  return {{"description", std::move(description)}, {"type", "string"}};
}

// A property that refers to a shared type: v3 allows nothing beside a reference.
Value DescribedReference(std::string_view type, std::string description, OpenApiVersion form) {
  Value reference = OpenApiReference(std::string(kMetaTypes) + std::string(type), form);
  if (form == OpenApiVersion::kV3) reference = {{"allOf", Value::array({std::move(reference)})}};
  reference["description"] = std::move(description);
  return reference;
}

Value ObjectMetaProperty(OpenApiVersion form) {
  return DescribedReference(
      "ObjectMeta", std::string("Standard object's metadata. More info: ") + kConventions + "#metadata",
      form);
}

void AddTypeMeta(Value& properties) {
  properties["apiVersion"] = Text(std::string("APIVersion defines the versioned schema of this "
                                              "representation of an object. Servers should convert "
                                              "recognized schemas to the latest internal value, and may "
                                              "reject unrecognized values. More info: ") +
                                  kConventions + "#resources");
  properties["kind"] = Text(
      std::string(
          "Kind is a string value representing the REST resource this object represents. Servers may infer "
          "this "
          "from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ") +
      kConventions + "#types-kinds");
}

void RequireName(Value& schema, const char* name) {
  Value& required = schema["required"];
  if (required.is_null()) required = Value::array();
  if (std::find(required.begin(), required.end(), Value(name)) == required.end()) required.push_back(name);
}

// Embedded resources have apiVersion, kind and metadata, whether their schema says so or not.
void AddEmbedded(Value& schema, OpenApiVersion form) {
  if (Value* properties = json::Find(schema, "properties")) {
    for (auto& [name, property] : properties->get_ref<Value::object_t&>()) AddEmbedded(property, form);
  }
  for (const char* key : {"items", "additionalProperties"}) {
    Value* child = json::Find(schema, key);
    if (child != nullptr && child->is_object()) AddEmbedded(*child, form);
  }
  if (!json::FlagAt(schema, {"x-kubernetes-embedded-resource"})) return;
  // With properties, kubectl would refuse all others.
  if (form == OpenApiVersion::kV2 && json::FlagAt(schema, {"x-kubernetes-preserve-unknown-fields"})) return;
  Value& properties = schema["properties"];
  properties["apiVersion"] =
      Text(std::string(
               "apiVersion defines the versioned schema of this representation of an object. More info: ") +
           kConventions + "#resources");
  properties["kind"] = Text(
      std::string("kind is a string value representing the type of this object. In CamelCase. More info: ") +
      kConventions + "#types-kinds");
  properties["metadata"] = ObjectMetaProperty(form);
  RequireName(schema, "kind");
  RequireName(schema, "apiVersion");
}

void AddExtensions(Value& schema, const definition::Resource& resource, const definition::Version& version,
                   const std::string& kind) {
  const Value group_version_kind = {{"group", resource.group()}, {"version", version.name}, {"kind", kind}};
  schema["x-kubernetes-group-version-kind"] = Value::array({group_version_kind});
  if (version.selectable_fields.empty()) return;
  Value fields = Value::array();
  for (const definition::SelectableField& field : version.selectable_fields)
    fields.push_back({{"fieldPath", field.name}});
  schema["x-kubernetes-selectable-fields"] = std::move(fields);
}

// Whether nothing can be said of a kind's members: kubectl would then refuse those that are not said.
bool IsOpaque(const Value& schema, OpenApiVersion form) {
  if (!schema.is_object()) return true;
  return form == OpenApiVersion::kV2 && json::FlagAt(schema, {"x-kubernetes-preserve-unknown-fields"});
}

}  // namespace

std::string OpenApiTypeName(const std::string& group, const std::string& version, const std::string& kind) {
  std::string name;
  const auto parts = base::Split(group, '.');
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) name.append(*part) += '.';
  return name + version + "." + kind;
}

Value PublishedKind(const definition::Resource& resource, const definition::Version& version,
                    OpenApiVersion form) {
  Value schema = {{"type", "object"}};
  if (!IsOpaque(version.open_api_v3_schema, form)) {
    schema = PublishedSchema(version.open_api_v3_schema);
    if (form == OpenApiVersion::kV2) ReduceToV2(schema);
    Value& properties = schema["properties"];
    properties["metadata"] = ObjectMetaProperty(form);
    AddTypeMeta(properties);
    AddEmbedded(schema, form);
  }
  AddExtensions(schema, resource, version, resource.names().kind);
  return schema;
}

Value PublishedList(const definition::Resource& resource, const definition::Version& version,
                    OpenApiVersion form) {
  const definition::Names& names = resource.names();
  const std::string item_type = OpenApiTypeName(resource.group(), version.name, names.kind);
  Value schema = {{"type", "object"},
                  {"description", names.list_kind + " is a list of " + names.kind},
                  {"required", Value::array({"items"})}};
  Value& properties = schema["properties"];
  properties["items"] = {{"type", "array"},
                         {"description", "List of " + names.plural + ". More info: " + kConventions},
                         {"items", OpenApiReference(item_type, form)}};
  properties["metadata"] = DescribedReference(
      "ListMeta", std::string("Standard list metadata. More info: ") + kConventions + "#types-kinds", form);
  AddTypeMeta(properties);
  AddExtensions(schema, resource, version, names.list_kind);
  return schema;
}

}  // namespace annex::api
