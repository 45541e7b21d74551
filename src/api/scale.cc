// …/scale: the replicas of an object as an autoscaling/v1 Scale
// (k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go).

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/yaml.h"
#include "annex/schema/types.h"
#include "apply_document.h"
#include "custom_resource_strategy.h"
#include "decode.h"
#include "field_management.h"
#include "guaranteed_update.h"
#include "negotiation.h"
#include "object_checks.h"
#include "patch_document.h"
#include "protobuf_read.h"
#include "scale_ownership.h"
#include "scale_view.h"
#include "stored_form.h"
#include "verbs.h"

#include <utility>

namespace annex::api {
namespace {

using json::Value;

VerbResult ScaleResponse(const Context& context, const ScaleFormat& format, const Value& scale) {
  ANNEX_TRY(std::string body, FinishScale(format, scale, context.parts.clock));
  return BodyResponse(200, format.output.ContentType(), std::move(body));
}

VerbResult WrittenResponse(const Context& context, const ScaleFormat& format, const Value& object) {
  const auto view = ScaleOf(*context.strategy->scale(), object);
  if (!view) return base::Error(BadRequest(view.error().message));
  return ScaleResponse(context, format, view->scale);
}

bool IsScale(const Value& object) {
  return json::TextAt(object, {"kind"}) == "Scale" &&
         json::TextAt(object, {"apiVersion"}) == "autoscaling/v1";
}

// Reads a Scale as its Go struct. What a strict reader complains about goes behind what is in `complaints`.
// Errors: BadRequest.
base::Result<void> ReadScale(Value& scale, std::vector<std::string>& complaints) {
  schema::TypedReport report;
  ANNEX_RETURN_IF_ERROR(schema::ReadTyped(scale, schema::ScaleType(), "", &report));
  for (const std::string& field : report.unknown_fields)
    complaints.push_back("unknown field " + base::Quote(field));
  return {};
}

base::Result<Value> ReadProtobufScale(const std::string& body) {
  ANNEX_TRY(const ProtobufDocument document, ReadProtobufDocument(body));
  ANNEX_TRY(Value scale, ReadProtobufMessage(document.message, schema::ScaleType()));
  scale["apiVersion"] = document.api_version;
  scale["kind"] = document.kind;
  return scale;
}

base::Result<Value> ParseScale(const std::string& body, Encoding encoding,
                               std::vector<std::string>& complaints) {
  if (encoding == Encoding::kProtobuf) return ReadProtobufScale(body);
  if (encoding == Encoding::kYaml) return json::ParseYaml(body);
  json::ReadReport report;
  ANNEX_TRY(Value scale, json::Parse(body, &report));
  if (!report.out_of_range.empty()) return base::Error(BadRequest(report.out_of_range));
  for (const std::string& field : report.duplicate_fields)
    complaints.push_back("duplicate field " + base::Quote(field));
  return scale;
}

// Whatever is wrong with a Scale, kube-apiserver's text for it fails in its turn.
base::Result<Value> DecodeScale(Context& context, FieldValidation validation) {
  const auto refused = [] {
    return base::Error(
        BadRequest("no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:110\""));
  };
  ANNEX_TRY(const Encoding encoding, NegotiateInput(context.request.headers));
  std::vector<std::string> complaints;
  auto scale = ParseScale(context.request.body, encoding, complaints);
  if (!scale || !ReadScale(*scale, complaints)) return refused();
  if (json::TextAt(*scale, {"kind"}).empty()) (*scale)["kind"] = "Scale";
  if (json::TextAt(*scale, {"apiVersion"}).empty()) (*scale)["apiVersion"] = "autoscaling/v1";
  if (!IsScale(*scale) || !JudgeComplaints(context, validation, complaints)) return refused();
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

// Errors: Invalid, with the Scale that the patch made.
base::Result<void> ReadPatchedScale(Context& context, Value& scale, std::vector<std::string> complaints,
                                    FieldValidation validation) {
  const Value patched = scale;
  base::Result<void> read = CheckTypeMeta(scale);
  if (read && !IsScale(scale)) {
    read = base::Error(
        BadRequest(KindNotRegistered(json::TextAt(scale, {"kind"}), json::TextAt(scale, {"apiVersion"}))));
  }
  if (read) read = ReadScale(scale, complaints);
  if (read) read = JudgeComplaints(context, validation, complaints);
  if (!read) return base::Error(UnreadablePatch(patched, read.error().message));
  return {};
}

base::Task<VerbResult> Finish(Context& context, ScaleFormat format, UpdatePlan plan) {
  ANNEX_CO_TRY(const Updated updated, co_await GuaranteedUpdate(context, std::move(plan)));
  if (updated.object) co_return WrittenResponse(context, format, *updated.object);
  ANNEX_CO_TRY(const Value object,
               co_await ReadObject(*context.strategy, updated.stored, context.executor()));
  co_return WrittenResponse(context, format, object);
}

base::Status EmptyReplicas(const Context& context) {
  return BadRequest("the spec replicas field " + base::Quote(context.strategy->scale()->spec_replicas_text) +
                    " cannot be empty");
}

base::Task<VerbResult> ApplyScale(Context& context) {
  ANNEX_CO_TRY(const ScaleFormat format, ReadScaleFormat(context));
  ANNEX_CO_TRY(const WriteOptions options, ReadApplyOptions(context.query));
  ANNEX_CO_TRY(const ApplyDocument document, ApplyDocument::Read(context.request.body));
  const auto writer = WriterOf(context, options.field_manager);
  UpdatePlan plan;
  plan.make = [&](const Value& existing, const auto&) -> base::Result<Value> {
    ANNEX_TRY(const ScaleView view, ScaleOf(*context.strategy->scale(), existing));
    Value object = existing;
    ANNEX_TRY(Value scale,
              ApplyReplicas(context, view.scale, document.object(), object, writer, options.force));
    ANNEX_RETURN_IF_ERROR(document.Complain(context, options.field_validation));
    ANNEX_RETURN_IF_ERROR(EnsureNamespace(context, scale));
    ANNEX_RETURN_IF_ERROR(CheckNameMatches(context, scale));
    if (json::FindPath(scale, {"spec", "replicas"}) == nullptr) return base::Error(EmptyReplicas(context));
    return WithReplicas(context, object, scale);
  };
  plan.dry_run = options.dry_run;
  plan.subresource = Subresource::kScale;
  co_return co_await Finish(context, format, std::move(plan));
}

}  // namespace

base::Task<VerbResult> GetScale(Context& context) {
  ANNEX_CO_TRY(const ScaleFormat format, ReadScaleFormat(context));
  ANNEX_CO_TRY(const std::string key, context.Key());
  ANNEX_CO_TRY(const auto stored, context.parts.store.Load(context.strategy->collection(), key));
  if (!stored) co_return base::Error(NotFound(context.resource(), context.info.name));
  ANNEX_CO_TRY(const Value object, co_await ReadObject(*context.strategy, stored, context.executor()));
  ANNEX_CO_TRY(const ScaleView view, ScaleOf(*context.strategy->scale(), object));
  if (!view.has_spec_replicas) {
    co_return base::Error(InternalError("the spec replicas field " +
                                        base::Quote(context.strategy->scale()->spec_replicas_text) +
                                        " does not exist"));
  }
  co_return ScaleResponse(context, format, view.scale);
}

base::Task<VerbResult> UpdateScale(Context& context) {
  ANNEX_CO_TRY(const ScaleFormat format, ReadScaleFormat(context));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "UpdateOptions"));
  ANNEX_CO_TRY(Value scale, DecodeScale(context, options.field_validation));
  ANNEX_CO_RETURN_IF_ERROR(EnsureNamespace(context, scale));
  ANNEX_CO_RETURN_IF_ERROR(CheckNameMatches(context, scale));
  const auto writer = WriterOf(context, options.field_manager);
  UpdatePlan plan;
  plan.make = [&](const Value& existing, const auto&) -> base::Result<Value> {
    ANNEX_TRY(const ScaleView view, ScaleOf(*context.strategy->scale(), existing));
    ANNEX_TRY(Value object, WithReplicas(context, existing, scale));
    ANNEX_RETURN_IF_ERROR(TrackReplicas(context, view.scale, scale, object, writer));
    return object;
  };
  plan.uid = json::TextAt(scale, {"metadata", "uid"});
  plan.dry_run = options.dry_run;
  plan.subresource = Subresource::kScale;
  co_return co_await Finish(context, format, std::move(plan));
}

base::Task<VerbResult> PatchScale(Context& context) {
  ANNEX_CO_RETURN_IF_ERROR(PatchDocument::CheckType(context));
  if (PatchDocument::IsApply(context)) co_return co_await ApplyScale(context);
  ANNEX_CO_TRY(const ScaleFormat format, ReadScaleFormat(context));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "PatchOptions"));
  const base::Result<PatchDocument> patch = PatchDocument::Read(context, options.field_validation);
  const auto writer = WriterOf(context, options.field_manager);
  UpdatePlan plan;
  plan.make = [&](const Value& existing, const auto&) -> base::Result<Value> {
    if (!patch) return base::Error(patch.error());
    ANNEX_TRY(const ScaleView view, ScaleOf(*context.strategy->scale(), existing));
    ANNEX_TRY(Value scale, patch->Apply(view.scale));
    ANNEX_RETURN_IF_ERROR(ReadPatchedScale(context, scale, patch->complaints(), options.field_validation));
    ANNEX_RETURN_IF_ERROR(EnsureNamespace(context, scale));
    ANNEX_RETURN_IF_ERROR(CheckNameMatches(context, scale));
    const bool sets_replicas = json::FindPath(scale, {"spec", "replicas"}) != nullptr;
    if (!view.has_spec_replicas && !sets_replicas) return base::Error(EmptyReplicas(context));
    ANNEX_TRY(Value object, WithReplicas(context, existing, scale));
    ANNEX_RETURN_IF_ERROR(TrackReplicas(context, view.scale, scale, object, writer));
    return object;
  };
  plan.dry_run = options.dry_run;
  plan.subresource = Subresource::kScale;
  co_return co_await Finish(context, format, std::move(plan));
}

}  // namespace annex::api
