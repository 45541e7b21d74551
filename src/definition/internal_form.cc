#include "internal_form.h"

#include "annex/json/write.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace annex::definition {
namespace {

using json::Value;

// How Go writes a field of an internal struct; the words say what it writes for one that is not set.
enum class Form : std::uint8_t {
  kText,     // ""
  kFlag,     // false
  kPlain,    // null; else as it is
  kNumber,   // 0
  kSchema,   // null
  kSchemas,  // null
  kSchemaMap,
  kItems,
  kSchemaOrFlag,
  kDependencies,
  kDocuments,
  kRules,
  kStatus,
  kScale,
  kValidation,
  kSubresources,
  kColumns,
  kSelectableFields,
};

struct Field {
  const char* go;
  const char* json;
  Form form;
};

constexpr Field kSchemaFields[] = {
    {"ID", "id", Form::kText},
    {"Schema", "$schema", Form::kText},
    {"Ref", "$ref", Form::kPlain},
    {"Description", "description", Form::kText},
    {"Type", "type", Form::kText},
    {"Nullable", "nullable", Form::kFlag},
    {"Format", "format", Form::kText},
    {"Title", "title", Form::kText},
    {"Default", "default", Form::kPlain},
    {"Maximum", "maximum", Form::kPlain},
    {"ExclusiveMaximum", "exclusiveMaximum", Form::kFlag},
    {"Minimum", "minimum", Form::kPlain},
    {"ExclusiveMinimum", "exclusiveMinimum", Form::kFlag},
    {"MaxLength", "maxLength", Form::kPlain},
    {"MinLength", "minLength", Form::kPlain},
    {"Pattern", "pattern", Form::kText},
    {"MaxItems", "maxItems", Form::kPlain},
    {"MinItems", "minItems", Form::kPlain},
    {"UniqueItems", "uniqueItems", Form::kFlag},
    {"MultipleOf", "multipleOf", Form::kPlain},
    {"Enum", "enum", Form::kPlain},
    {"MaxProperties", "maxProperties", Form::kPlain},
    {"MinProperties", "minProperties", Form::kPlain},
    {"Required", "required", Form::kPlain},
    {"Items", "items", Form::kItems},
    {"AllOf", "allOf", Form::kSchemas},
    {"OneOf", "oneOf", Form::kSchemas},
    {"AnyOf", "anyOf", Form::kSchemas},
    {"Not", "not", Form::kSchema},
    {"Properties", "properties", Form::kSchemaMap},
    {"AdditionalProperties", "additionalProperties", Form::kSchemaOrFlag},
    {"PatternProperties", "patternProperties", Form::kSchemaMap},
    {"Dependencies", "dependencies", Form::kDependencies},
    {"AdditionalItems", "additionalItems", Form::kSchemaOrFlag},
    {"Definitions", "definitions", Form::kSchemaMap},
    {"ExternalDocs", "externalDocs", Form::kDocuments},
    {"Example", "example", Form::kPlain},
    {"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Form::kPlain},
    {"XEmbeddedResource", "x-kubernetes-embedded-resource", Form::kFlag},
    {"XIntOrString", "x-kubernetes-int-or-string", Form::kFlag},
    {"XListMapKeys", "x-kubernetes-list-map-keys", Form::kPlain},
    {"XListType", "x-kubernetes-list-type", Form::kPlain},
    {"XMapType", "x-kubernetes-map-type", Form::kPlain},
    {"XValidations", "x-kubernetes-validations", Form::kRules},
};
constexpr Field kRuleFields[] = {
    {"Rule", "rule", Form::kText},
    {"Message", "message", Form::kText},
    {"MessageExpression", "messageExpression", Form::kText},
    {"Reason", "reason", Form::kPlain},
    {"FieldPath", "fieldPath", Form::kText},
    {"OptionalOldSelf", "optionalOldSelf", Form::kPlain},
};
constexpr Field kDocumentFields[] = {{"Description", "description", Form::kText},
                                     {"URL", "url", Form::kText}};
constexpr Field kValidationFields[] = {{"OpenAPIV3Schema", "openAPIV3Schema", Form::kSchema}};
constexpr Field kSubresourceFields[] = {{"Status", "status", Form::kStatus},
                                        {"Scale", "scale", Form::kScale}};
constexpr Field kScaleFields[] = {
    {"SpecReplicasPath", "specReplicasPath", Form::kText},
    {"StatusReplicasPath", "statusReplicasPath", Form::kText},
    {"LabelSelectorPath", "labelSelectorPath", Form::kPlain},
};
constexpr Field kColumnFields[] = {
    {"Name", "name", Form::kText},           {"Type", "type", Form::kText},
    {"Format", "format", Form::kText},       {"Description", "description", Form::kText},
    {"Priority", "priority", Form::kNumber}, {"JSONPath", "jsonPath", Form::kText},
};
constexpr Field kSelectableFieldFields[] = {{"JSONPath", "jsonPath", Form::kText}};
constexpr Field kVersionFields[] = {
    {"Name", "name", Form::kText},
    {"Served", "served", Form::kFlag},
    {"Storage", "storage", Form::kFlag},
    {"Deprecated", "deprecated", Form::kFlag},
    {"DeprecationWarning", "deprecationWarning", Form::kPlain},
    {"Schema", "schema", Form::kValidation},
    {"Subresources", "subresources", Form::kSubresources},
    {"AdditionalPrinterColumns", "additionalPrinterColumns", Form::kColumns},
    {"SelectableFields", "selectableFields", Form::kSelectableFields},
};

class Writer {
 public:
  template <std::size_t count>
  void Struct(const Value& value, const Field (&fields)[count]) {
    out_ += '{';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      out_.append("\"").append(fields[i].go).append("\":");
      Write(json::Find(value, fields[i].json), fields[i].form);
    }
    out_ += '}';
  }

  template <typename Item>
  void List(const Value& list, Item item) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ',';
      item(list[i]);
    }
    out_ += ']';
  }

  template <typename Item>
  void Map(const Value& map, Item item) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, member] : map.get_ref<const Value::object_t&>()) {
      if (!first) out_ += ',';
      first = false;
      json::AppendJsonString(out_, key);
      out_ += ':';
      item(member);
    }
    out_ += '}';
  }

  void Schemas(const Value& list) {
    List(list, [this](const Value& item) { Struct(item, kSchemaFields); });
  }

  // A schema or something else in its place: {"Schema":…,"OTHER":…}.
  void Choice(const Value& value, std::string_view other) {
    out_ += "{\"Schema\":";
    Write(value.is_object() ? &value : nullptr, Form::kSchema);
    out_.append(",\"").append(other).append("\":");
    if (!value.is_array()) {
      out_ += "null";
    } else if (other == "JSONSchemas") {
      Schemas(value);
    } else {
      json::AppendJson(out_, value);
    }
    out_ += '}';
  }

  void Write(const Value* value, Form form);

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

const char* Unset(Form form) {
  if (form == Form::kText) return "\"\"";
  if (form == Form::kFlag) return "false";
  return form == Form::kNumber ? "0" : "null";
}

void Writer::Write(const Value* value, Form form) {
  if (value == nullptr || value->is_null()) {
    out_ += Unset(form);
    return;
  }
  switch (form) {
    case Form::kText:
    case Form::kFlag:
    case Form::kPlain:
    case Form::kNumber:
      return json::AppendJson(out_, *value);
    case Form::kSchema:
      return Struct(*value, kSchemaFields);
    case Form::kSchemas:
      return Schemas(*value);
    case Form::kSchemaMap:
      return Map(*value, [this](const Value& member) { Struct(member, kSchemaFields); });
    case Form::kItems:
      return Choice(*value, "JSONSchemas");
    case Form::kSchemaOrFlag:
      out_ += "{\"Allows\":";
      out_ += *value != false ? "true" : "false";
      out_ += ",\"Schema\":";
      Write(value->is_object() ? value : nullptr, Form::kSchema);
      out_ += '}';
      return;
    case Form::kDependencies:
      return Map(*value, [this](const Value& member) { Choice(member, "Property"); });
    case Form::kDocuments:
      return Struct(*value, kDocumentFields);
    case Form::kRules:
      return List(*value, [this](const Value& item) { Struct(item, kRuleFields); });
    case Form::kStatus:
      out_ += "{}";
      return;
    case Form::kScale:
      return Struct(*value, kScaleFields);
    case Form::kValidation:
      return Struct(*value, kValidationFields);
    case Form::kSubresources:
      return Struct(*value, kSubresourceFields);
    case Form::kColumns:
      return List(*value, [this](const Value& item) { Struct(item, kColumnFields); });
    case Form::kSelectableFields:
      return List(*value, [this](const Value& item) { Struct(item, kSelectableFieldFields); });
  }
}

}  // namespace

std::string InternalSchema(const Value& schema) {
  Writer writer;
  writer.Struct(schema, kSchemaFields);
  return writer.Take();
}

std::string InternalItems(const Value& items) {
  Writer writer;
  writer.Write(&items, Form::kItems);
  return writer.Take();
}

std::string InternalVersions(const Value& versions, const CommonParts& common) {
  if (!versions.is_array()) return "null";
  Writer writer;
  writer.List(versions, [&](const Value& version) {
    Value own = version;
    if (common.schema) own.erase("schema");
    if (common.subresources) own.erase("subresources");
    if (common.columns) own.erase("additionalPrinterColumns");
    if (common.selectable_fields) own.erase("selectableFields");
    writer.Struct(own, kVersionFields);
  });
  return writer.Take();
}

}  // namespace annex::definition
