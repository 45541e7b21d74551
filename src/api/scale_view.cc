#include "scale_view.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "nested_field.h"
#include "protobuf_write.h"
#include "table.h"

#include <array>
#include <string>
#include <vector>

namespace annex::api {
namespace {

using json::Value;

// What a Scale takes over of the object's metadata, in the order in which Go declares the fields.
constexpr std::array kMetadataFields = {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"};

base::Result<std::optional<std::int64_t>> ReplicasAt(const Value& object, const definition::KeyPath& path) {
  ANNEX_TRY(const Value* replicas, NestedField(object, path));
  if (replicas == nullptr) return std::optional<std::int64_t>();
  if (!replicas->is_number_integer())
    return base::Error(Unspecified(AccessorProblem(path, *replicas, "int64")));
  return std::optional<std::int64_t>(replicas->get<std::int64_t>());
}

}  // namespace

base::Result<ScaleView> ScaleOf(const definition::ScaleSubresource& paths, const Value& object) {
  ANNEX_TRY(const auto wanted, ReplicasAt(object, paths.spec_replicas));
  ANNEX_TRY(const auto present, ReplicasAt(object, paths.status_replicas));
  ScaleView view;
  view.has_spec_replicas = wanted.has_value();
  Value& scale = view.scale;
  scale["apiVersion"] = "autoscaling/v1";
  scale["kind"] = "Scale";
  for (const char* field : kMetadataFields) {
    if (const Value* value = json::FindPath(object, {"metadata", field})) scale["metadata"][field] = *value;
  }
  // A Scale's spec leaves out 0 replicas, its status does not.
  scale["spec"] = Value::object();
  if (wanted.value_or(0) != 0) scale["spec"]["replicas"] = *wanted;
  scale["status"]["replicas"] = present.value_or(0);
  if (paths.label_selector) {
    ANNEX_TRY(const Value* selector, NestedField(object, *paths.label_selector));
    if (selector != nullptr && !selector->is_string()) {
      return base::Error(Unspecified(AccessorProblem(*paths.label_selector, *selector, "string")));
    }
    if (selector != nullptr && !selector->get_ref<const std::string&>().empty())
      scale["status"]["selector"] = *selector;
  }
  return view;
}

base::Result<ScaleFormat> ReadScaleFormat(const Context& context) {
  ScaleFormat format;
  ANNEX_TRY(format.output, NegotiateOutput(context.request.headers, context.query));
  ANNEX_TRY(format.include, ReadIncludeObject(context.query, format.output.form));
  return format;
}

namespace {

// ScaleMetadata and ScaleJson write the fields in the order of Go's structs, which is not that of their
// names.
std::string ScaleMetadata(const Value& scale) {
  std::string json = "{";
  for (const char* field : kMetadataFields) {
    const Value* value = json::FindPath(scale, {"metadata", field});
    if (value == nullptr) continue;
    if (json.size() > 1) json += ',';
    json += "\"" + std::string(field) + "\":" + json::ToJson(*value);
  }
  return json + "}";
}

std::string ScaleJson(const Value& scale) {
  return R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":)" + ScaleMetadata(scale) +
         ",\"spec\":" + json::ToJson(*json::Find(scale, "spec")) +
         ",\"status\":" + json::ToJson(*json::Find(scale, "status")) + "}";
}

std::string PartialScale(const OutputFormat& format, const Value& scale) {
  return "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/" + format.form_version +
         "\",\"metadata\":" + ScaleMetadata(scale) + "}";
}

std::string ScaleTable(const ScaleFormat& format, const Value& scale, const base::Clock& clock) {
  const auto column = [](const char* name, const char* description, const char* path) {
    return TableColumn{name, "integer", "", description, 0, json::JsonPath::Compile(path).value()};
  };
  const std::vector<TableColumn> columns = {
      column("Desired", "Number of desired replicas", ".spec.replicas"),
      column("Available", "Number of actual replicas", ".status.replicas"), AgeColumn()};
  std::string object = "null";
  if (format.include == IncludeObject::kMetadata) object = PartialScale(format.output, scale);
  if (format.include == IncludeObject::kObject) object = ScaleJson(scale);
  return "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/" + format.output.form_version +
         "\",\"metadata\":{\"resourceVersion\":\"" + json::TextAt(scale, {"metadata", "resourceVersion"}) +
         "\"},\"columnDefinitions\":" + ColumnDefinitionsJson(columns) +
         ",\"rows\":[{\"cells\":" + CellsJson(scale, columns, clock.Now()) + ",\"object\":" + object + "}]}";
}

}  // namespace

base::Result<std::string> FinishScale(const ScaleFormat& format, const Value& scale,
                                      const base::Clock& clock) {
  std::string json;
  if (format.output.form == Form::kPartialObjectMetadataList) {
    return base::Error(
        base::Reason::kNotAcceptable,
        "you requested PartialObjectMetadataList, but the requested object is not a list (*v1.Scale)");
  }
  if (format.output.encoding == Encoding::kProtobuf) {
    AppendProtobufDocument(json, "meta.k8s.io/" + format.output.form_version, "PartialObjectMetadata",
                           PartialMetadataMessage(*json::Find(scale, "metadata")));
    return json;
  }
  switch (format.output.form) {
    case Form::kTable:
      json = ScaleTable(format, scale, clock);
      break;
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      json = PartialScale(format.output, scale);
      break;
    case Form::kObject:
      json = ScaleJson(scale);
      break;
  }
  if (format.output.encoding == Encoding::kYaml) return json::ToYaml(json::Parse(json).value());
  return format.output.pretty ? json::Indent(json) : json + "\n";
}

}  // namespace annex::api
