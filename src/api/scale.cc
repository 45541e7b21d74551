// …/scale: the replicas of an object as an autoscaling/v1 Scale
// (k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go).

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "annex/schema/types.h"
#include "custom_resource_strategy.h"
#include "guaranteed_update.h"
#include "negotiation.h"
#include "nested_field.h"
#include "object_checks.h"
#include "patch_document.h"
#include "stored_form.h"
#include "table.h"
#include "verbs.h"

#include <limits>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

struct ScaleView {
  Value scale;
  bool has_spec_replicas = false;
};

base::Result<std::optional<std::int64_t>> ReplicasAt(const Value& object, const definition::KeyPath& path) {
  ANNEX_TRY(const Value* replicas, NestedField(object, path));
  if (replicas == nullptr) return std::optional<std::int64_t>();
  if (!replicas->is_number_integer())
    return base::Error(Unspecified(AccessorProblem(path, *replicas, "int64")));
  return std::optional<std::int64_t>(replicas->get<std::int64_t>());
}

base::Result<ScaleView> ViewOf(const definition::ScaleSubresource& paths, const Value& object) {
  ANNEX_TRY(const auto wanted, ReplicasAt(object, paths.spec_replicas));
  ANNEX_TRY(const auto present, ReplicasAt(object, paths.status_replicas));
  ScaleView view;
  view.has_spec_replicas = wanted.has_value();
  Value& scale = view.scale;
  scale["apiVersion"] = "autoscaling/v1";
  scale["kind"] = "Scale";
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
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

// How a request wants to see a Scale.
struct ScaleFormat {
  OutputFormat output;
  IncludeObject include = IncludeObject::kMetadata;
};

base::Result<ScaleFormat> ReadFormat(const Context& context) {
  ScaleFormat format;
  ANNEX_TRY(format.output, NegotiateOutput(context.request.headers, context.query));
  if (format.output.form == Form::kTable) {
    ANNEX_TRY(format.include, ReadIncludeObject(context.query));
  }
  if (format.output.form == Form::kPartialObjectMetadataList) {
    return base::Error(
        base::Reason::kNotAcceptable,
        "you requested PartialObjectMetadataList, but the requested object is not a list (*v1.Scale)");
  }
  return format;
}

std::string PartialScale(const OutputFormat& format, const Value& scale) {
  return "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/" + format.form_version +
         "\",\"metadata\":" + json::ToJson(*json::Find(scale, "metadata")) + "}";
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
  if (format.include == IncludeObject::kObject) object = json::ToJson(scale);
  return "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/" + format.output.form_version +
         "\",\"metadata\":{\"resourceVersion\":\"" + json::TextAt(scale, {"metadata", "resourceVersion"}) +
         "\"},\"columnDefinitions\":" + ColumnDefinitionsJson(columns) +
         ",\"rows\":[{\"cells\":" + CellsJson(scale, columns, clock.Now()) + ",\"object\":" + object + "}]}";
}

std::string FinishScale(const ScaleFormat& format, const Value& scale, const base::Clock& clock) {
  std::string json;
  switch (format.output.form) {
    case Form::kTable:
      json = ScaleTable(format, scale, clock);
      break;
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      json = PartialScale(format.output, scale);
      break;
    case Form::kObject:
      json = json::ToJson(scale);
      break;
  }
  if (format.output.encoding == Encoding::kYaml) return json::ToYaml(json::Parse(json).value());
  return format.output.pretty ? json::Indent(json) : json + "\n";
}

VerbResult ScaleResponse(Context& context, const ScaleFormat& format, const Value& object) {
  auto view = ViewOf(*context.strategy->scale(), object);
  if (!view) return base::Error(BadRequest(view.error().message));
  return BodyResponse(200, format.output.ContentType(),
                      FinishScale(format, view->scale, context.parts.clock));
}

// Whatever is wrong with a Scale, kube-apiserver's text for it fails in its turn.
base::Result<Value> DecodeScale(Context& context) {
  const auto refused = [] {
    return base::Error(
        BadRequest("no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:110\""));
  };
  ANNEX_TRY(const Encoding encoding, NegotiateInput(context.request.headers));
  if (encoding == Encoding::kProtobuf) return refused();
  auto scale =
      encoding == Encoding::kYaml ? json::ParseYaml(context.request.body) : json::Parse(context.request.body);
  if (!scale || !schema::ReadTyped(*scale, schema::ScaleType(), "")) return refused();
  const std::string& kind = json::TextAt(*scale, {"kind"});
  const std::string& api_version = json::TextAt(*scale, {"apiVersion"});
  if ((!kind.empty() && kind != "Scale") || (!api_version.empty() && api_version != "autoscaling/v1"))
    return refused();
  return *std::move(scale);
}

// The object with the replicas (and, if it has one, the resourceVersion) that a Scale asks for.
base::Result<Value> WithReplicas(const Context& context, const Value& existing, const Value& scale) {
  const definition::ScaleSubresource& paths = *context.strategy->scale();
  const Value* replicas = json::FindPath(scale, {"spec", "replicas"});
  Value object = existing;
  Value* place = &object;
  for (std::size_t i = 0; i + 1 < paths.spec_replicas.size(); ++i) {
    place = &(*place)[paths.spec_replicas[i]];
    if (place->is_null()) *place = Value::object();
    if (!place->is_object()) {
      return base::Error(Unspecified("value cannot be set because " + paths.spec_replicas_text +
                                     " is not a map[string]interface{}"));
    }
  }
  (*place)[paths.spec_replicas.back()] = replicas == nullptr || replicas->is_null() ? Value(0) : *replicas;
  const std::string& version = json::TextAt(scale, {"metadata", "resourceVersion"});
  if (!version.empty()) object["metadata"]["resourceVersion"] = version;
  return object;
}

base::Task<VerbResult> Finish(Context& context, ScaleFormat format, UpdatePlan plan) {
  ANNEX_CO_TRY(const Updated updated, co_await GuaranteedUpdate(context, std::move(plan)));
  if (updated.object) co_return ScaleResponse(context, format, *updated.object);
  ANNEX_CO_TRY(const Value object,
               co_await ReadObject(*context.strategy, updated.stored, context.executor()));
  co_return ScaleResponse(context, format, object);
}

base::Status EmptyReplicas(const Context& context) {
  return BadRequest("the spec replicas field " + base::Quote(context.strategy->scale()->spec_replicas_text) +
                    " cannot be empty");
}

}  // namespace

base::Task<VerbResult> GetScale(Context& context) {
  ANNEX_CO_TRY(const ScaleFormat format, ReadFormat(context));
  ANNEX_CO_TRY(const auto stored, context.parts.store.Load(context.strategy->collection(), context.Key()));
  if (!stored) co_return base::Error(NotFound(context.resource(), context.info.name));
  ANNEX_CO_TRY(const Value object, co_await ReadObject(*context.strategy, stored, context.executor()));
  ANNEX_CO_TRY(const ScaleView view, ViewOf(*context.strategy->scale(), object));
  if (!view.has_spec_replicas) {
    co_return base::Error(InternalError("the spec replicas field " +
                                        base::Quote(context.strategy->scale()->spec_replicas_text) +
                                        " does not exist"));
  }
  co_return BodyResponse(200, format.output.ContentType(),
                         FinishScale(format, view.scale, context.parts.clock));
}

base::Task<VerbResult> UpdateScale(Context& context) {
  ANNEX_CO_TRY(const ScaleFormat format, ReadFormat(context));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "UpdateOptions"));
  ANNEX_CO_TRY(const Value scale, DecodeScale(context));
  ANNEX_CO_RETURN_IF_ERROR(CheckNameMatches(context, scale));
  UpdatePlan plan;
  plan.make = [&](const Value& existing) { return WithReplicas(context, existing, scale); };
  plan.uid = json::TextAt(scale, {"metadata", "uid"});
  plan.dry_run = options.dry_run;
  plan.subresource = Subresource::kScale;
  co_return co_await Finish(context, format, std::move(plan));
}

base::Task<VerbResult> PatchScale(Context& context) {
  ANNEX_CO_RETURN_IF_ERROR(PatchDocument::CheckType(context));
  ANNEX_CO_TRY(const ScaleFormat format, ReadFormat(context));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "PatchOptions"));
  ANNEX_CO_TRY(const PatchDocument patch, PatchDocument::Read(context, options.field_validation));
  UpdatePlan plan;
  plan.make = [&](const Value& existing) -> base::Result<Value> {
    ANNEX_TRY(const ScaleView view, ViewOf(*context.strategy->scale(), existing));
    ANNEX_TRY(Value scale, patch.Apply(view.scale));
    const Value patched = scale;
    if (const auto typed = schema::ReadTyped(scale, schema::ScaleType(), ""); !typed) {
      return base::Error(UnreadablePatch(patched, typed.error().message));
    }
    ANNEX_RETURN_IF_ERROR(CheckNameMatches(context, scale));
    const bool sets_replicas = json::FindPath(scale, {"spec", "replicas"}) != nullptr;
    if (!view.has_spec_replicas && !sets_replicas) return base::Error(EmptyReplicas(context));
    return WithReplicas(context, existing, scale);
  };
  plan.dry_run = options.dry_run;
  plan.subresource = Subresource::kScale;
  co_return co_await Finish(context, format, std::move(plan));
}

}  // namespace annex::api
