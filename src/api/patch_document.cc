#include "patch_document.h"

#include "annex/base/strings.h"
#include "annex/json/patch.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "negotiation.h"

namespace annex::api {
namespace {

using json::Value;

constexpr std::string_view kJsonPatchType = "application/json-patch+json";
constexpr std::string_view kMergePatchType = "application/merge-patch+json";
constexpr std::string_view kStrategicPatchType = "application/strategic-merge-patch+json";

// What Go's decoder says of a value of the wrong type.
std::string WrongType(const Value& value, const char* go_type) {
  const std::string found = value.is_boolean()  ? "bool"
                            : value.is_number() ? "number"
                                                : std::string(json::TypeName(value));
  return "json: cannot unmarshal " + found + " into Go value of type " + go_type;
}

// The members of an operation that kube-apiserver knows; it complains about others.
void CheckOperations(const Value& patch, std::vector<std::string>& complaints) {
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (!patch[i].is_object()) continue;
    for (const auto& [key, member] : patch[i].get_ref<const Value::object_t&>()) {
      if (key == "op" || key == "path" || key == "from" || key == "value") continue;
      complaints.push_back("json patch unknown field " + base::Quote("[" + std::to_string(i) + "]." + key));
    }
  }
}

std::string ContentType(const Context& context) {
  return MediaTypeOf(context.request.headers.First("content-type"));
}

}  // namespace

base::Status UnreadablePatch(const Value& patched, const std::string& why) {
  const json::FieldErrors errors = {json::InvalidError(json::FieldPath("patch"), json::ToJson(patched), why)};
  return Invalid("", "", "", errors);
}

base::Result<void> PatchDocument::CheckType(const Context& context) {
  const std::string type = ContentType(context);
  const bool strategic = context.strategy->builtin();
  if (type == kJsonPatchType || type == kMergePatchType || (strategic && type == kStrategicPatchType))
    return {};
  std::string message =
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json-patch+json, "
      "application/merge-patch+json";
  if (strategic) message.append(", ").append(kStrategicPatchType);
  return base::Error(base::Reason::kUnsupportedMediaType, std::move(message));
}

base::Result<PatchDocument> PatchDocument::Read(const Context& context, FieldValidation validation) {
  ANNEX_RETURN_IF_ERROR(CheckType(context));
  PatchDocument document;
  if (ContentType(context) == kJsonPatchType) document.kind_ = Kind::kJsonPatch;
  if (ContentType(context) == kStrategicPatchType) {
    document.kind_ = Kind::kStrategicMergePatch;
    document.lists_ = context.strategy->merged_lists();
  }
  json::ReadReport report;
  auto parsed = json::Parse(context.request.body, &report);
  if (!parsed) return base::Error(BadRequest("error decoding patch: " + parsed.error().message));
  document.patch_ = *std::move(parsed);
  const bool json_patch = document.kind_ == Kind::kJsonPatch;
  if (document.patch_.is_null()) {
    if (document.kind_ == Kind::kMergePatch) return base::Error(BadRequest("Invalid JSON Patch"));
    document.patch_ = json_patch ? Value::array() : Value::object();
  }
  if (json_patch && !document.patch_.is_array()) {
    return base::Error(
        BadRequest("error decoding patch: " + WrongType(document.patch_, "[]handlers.jsonPatchOp")));
  }
  if (!json_patch && !document.patch_.is_object()) {
    return base::Error(
        BadRequest("error decoding patch: " + WrongType(document.patch_, "map[string]interface {}")));
  }
  if (json_patch && document.patch_.size() > json::kMaxPatchOperations) {
    return base::Error(base::Reason::kRequestEntityTooLarge,
                       "Request entity too large: The allowed maximum operations in a JSON patch is " +
                           std::to_string(json::kMaxPatchOperations) + ", got " +
                           std::to_string(document.patch_.size()));
  }
  if (validation == FieldValidation::kIgnore) return document;
  for (const std::string& field : report.duplicate_fields) {
    const std::string complaint = "duplicate field " + base::Quote(field);
    document.complaints_.push_back(json_patch ? "json patch " + complaint : complaint);
  }
  if (json_patch) CheckOperations(document.patch_, document.complaints_);
  return document;
}

base::Result<Value> PatchDocument::Apply(const Value& existing) const {
  Value object = existing;
  if (kind_ == Kind::kMergePatch) {
    json::ApplyMergePatch(object, patch_);
    return object;
  }
  if (kind_ == Kind::kStrategicMergePatch) {
    ANNEX_RETURN_IF_ERROR(ApplyStrategicMergePatch(object, patch_, lists_));
    return object;
  }
  const auto applied = json::ApplyJsonPatch(object, patch_);
  if (applied) return object;
  if (applied.error().reason == base::Reason::kInvalid) {
    base::Status status{base::Reason::kInvalid,
                        "the server rejected our request due to an error in our request"};
    status.details.present = true;
    return base::Error(std::move(status));
  }
  return base::Error(applied.error());
}

}  // namespace annex::api
