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
constexpr std::string_view kApplyPatchType = "application/apply-patch+yaml";

// What Go's decoder says of a value of the wrong type.
std::string WrongType(const Value& value, const char* go_type) {
  const std::string found = value.is_boolean()  ? "bool"
                            : value.is_number() ? "number"
                                                : std::string(json::TypeName(value));
  return "json: cannot unmarshal " + found + " into Go value of type " + go_type;
}

// A patch's type is taken as it is written: neither its case nor a space before its parameters is forgiven.
std::string ContentType(const Context& context) {
  const std::string_view header = context.request.headers.First("content-type");
  return std::string(header.substr(0, header.find(';')));
}

}  // namespace

base::Status UnreadablePatch(const Value& patched, const std::string& why) {
  const json::FieldErrors errors = {json::InvalidError(json::FieldPath("patch"), json::ToJson(patched), why)};
  return Invalid("", "", "", errors);
}

base::Result<void> PatchDocument::CheckType(const Context& context) {
  const std::string type = ContentType(context);
  const bool strategic = context.strategy->builtin();
  if (type == kJsonPatchType || type == kMergePatchType || type == kApplyPatchType) return {};
  if (strategic && type == kStrategicPatchType) return {};
  std::string message =
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json-patch+json, "
      "application/merge-patch+json";
  if (strategic) message.append(", ").append(kStrategicPatchType);
  message.append(", ").append(kApplyPatchType);
  return base::Error(base::Reason::kUnsupportedMediaType, std::move(message));
}

bool PatchDocument::IsApply(const Context& context) {
  return ContentType(context) == kApplyPatchType;
}

base::Result<PatchDocument> PatchDocument::Read(const Context& context, FieldValidation validation) {
  PatchDocument document;
  if (ContentType(context) == kJsonPatchType) document.kind_ = Kind::kJsonPatch;
  if (ContentType(context) == kStrategicPatchType) {
    document.kind_ = Kind::kStrategicMergePatch;
    document.lists_ = context.strategy->merged_lists();
  }
  json::ReadReport report;
  auto parsed = json::Parse(context.request.body, &report);
  // Who does not want to hear of unknown fields has the patch read by another decoder, with fewer words.
  const bool brief = validation == FieldValidation::kIgnore;
  if (!parsed) return base::Error(document.Undecodable(parsed.error().message, brief));
  if (!report.out_of_range.empty()) return base::Error(document.Undecodable(report.out_of_range, brief));
  document.patch_ = *std::move(parsed);
  if (document.kind_ == Kind::kJsonPatch) {
    ANNEX_RETURN_IF_ERROR(document.CheckOperations(report, brief));
  } else {
    ANNEX_RETURN_IF_ERROR(document.CheckMerge(report, brief));
  }
  return document;
}

base::Status PatchDocument::Undecodable(std::string why, bool brief) const {
  if (brief) return BadRequest(kind_ == Kind::kMergePatch ? "Invalid JSON Patch" : why);
  // A number that is too large can only be a value's.
  constexpr std::string_view kNumber = "into Go value of type float64";
  if (kind_ == Kind::kJsonPatch && why.ends_with(kNumber)) {
    why.replace(why.size() - kNumber.size(), kNumber.size(),
                "into Go struct field jsonPatchOp.value of type float64");
  }
  return BadRequest("error decoding patch: " + why);
}

base::Result<void> PatchDocument::CheckOperations(const json::ReadReport& report, bool brief) {
  if (!brief) {
    ANNEX_TRY(const std::vector<std::string> unknown, json::CheckJsonPatch(patch_));
    for (const std::string& field : report.duplicate_fields)
      complaints_.push_back("json patch duplicate field " + base::Quote(field));
    for (const std::string& complaint : unknown) complaints_.push_back("json patch " + complaint);
  }
  if (patch_.is_null()) patch_ = Value::array();
  if (patch_.size() <= json::kMaxPatchOperations) return {};
  return base::Error(base::Reason::kRequestEntityTooLarge,
                     "Request entity too large: The allowed maximum operations in a JSON patch is " +
                         std::to_string(json::kMaxPatchOperations) + ", got " +
                         std::to_string(patch_.size()));
}

base::Result<void> PatchDocument::CheckMerge(const json::ReadReport& report, bool brief) {
  if (patch_.is_null() && kind_ == Kind::kStrategicMergePatch) patch_ = Value::object();
  if (patch_.is_null()) return base::Error(BadRequest("Invalid JSON Patch"));
  // The brief decoder lets a list take the place of the whole object, which then cannot be read.
  const bool passes = patch_.is_object() || (brief && patch_.is_array() && kind_ == Kind::kMergePatch);
  if (!passes) return base::Error(Undecodable(WrongType(patch_, "map[string]interface {}"), brief));
  if (brief) return {};
  for (const std::string& field : report.duplicate_fields)
    complaints_.push_back("duplicate field " + base::Quote(field));
  return {};
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
