#include "decode.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "negotiation.h"
#include "protobuf_read.h"

#include <algorithm>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

// The YAML library's errors come as one text: this line, and below it a line for each.
constexpr std::string_view kYamlErrors = "yaml: unmarshal errors:";

struct Decoded {
  Value value;
  std::vector<std::string> complaints;  // duplicate keys, as strict decoders name them
  std::string out_of_range;             // what Go says of a number that it cannot hold; "" if there is none
  std::string_view message;             // kProtobuf: the object; `value` then has only apiVersion and kind
};

base::Result<Decoded> ParseBody(const std::string& body, Encoding encoding) {
  Decoded decoded;
  if (encoding == Encoding::kProtobuf) {
    ANNEX_TRY(ProtobufDocument document, ReadProtobufDocument(body));
    decoded.value = {{"apiVersion", std::move(document.api_version)}, {"kind", std::move(document.kind)}};
    decoded.message = document.message;
    return decoded;
  }
  if (encoding == Encoding::kYaml) {
    json::YamlReport report;
    ANNEX_TRY(decoded.value, json::ParseYaml(body, &report));
    if (report.duplicate_keys.empty()) return decoded;
    std::string complaint(kYamlErrors);
    for (const auto& duplicate : report.duplicate_keys) complaint += "\n  " + duplicate.Message();
    decoded.complaints.push_back(std::move(complaint));
    return decoded;
  }
  json::ReadReport report;
  auto parsed = json::Parse(body, &report);
  if (!parsed) {
    return base::Error(BadRequest("couldn't get version/kind; json parse error: " + parsed.error().message));
  }
  decoded.value = *std::move(parsed);
  decoded.out_of_range = std::move(report.out_of_range);
  for (const std::string& field : report.duplicate_fields) {
    decoded.complaints.push_back("duplicate field " + base::Quote(field));
  }
  return decoded;
}

// Objects of built-in types need not say what they are; if they do, it has to be the right kind.
base::Result<void> CheckBuiltinKind(const Context& context, Value& object) {
  const Strategy& strategy = *context.strategy;
  if (!object.is_object()) object = Value::object();
  if (json::TextAt(object, {"kind"}).empty()) object["kind"] = strategy.kind();
  if (json::TextAt(object, {"apiVersion"}).empty()) object["apiVersion"] = strategy.ApiVersion();
  const std::string& kind = json::TextAt(object, {"kind"});
  const std::string& api_version = json::TextAt(object, {"apiVersion"});
  if (kind == strategy.kind() && api_version == strategy.ApiVersion()) return {};
  // kube-apiserver can still read this version, but serves it no more.
  if (kind == "CustomResourceDefinition" && api_version == "apiextensions.k8s.io/v1beta1" &&
      strategy.kind() == kind) {
    return {};
  }
  return base::Error(BadRequest(KindNotRegistered(kind, api_version)));
}

// A custom resource has no message in protobuf. (kube-apiserver breaks the connection off, or cannot find the
// kind.)
base::Status NoProtobuf() {
  return {base::Reason::kUnsupportedMediaType,
          "the body of the request was in an unknown format - accepted media types include: "
          "application/json, application/yaml"};
}

base::Status Unrecognized(const Context& context, const base::Status& why) {
  return BadRequest("the object provided is unrecognized (must be of type " + context.strategy->kind() +
                    "): " + why.message + " (" + SummarizeBody(context.request.body) + ")");
}

base::Status CannotBeHandled(const Context& context, const Value& object, const std::string& why) {
  const std::string& api_version = json::TextAt(object, {"apiVersion"});
  const auto slash = api_version.find('/');
  const std::string version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  return BadRequest(json::TextAt(object, {"kind"}) + " in version " + base::Quote(version) +
                    " cannot be handled as a " + context.strategy->kind() + ": " + why);
}

}  // namespace

base::Result<void> CheckTypeMeta(const Value& value) {
  constexpr const char* kStruct =
      "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
      "\"json:\\\"kind,omitempty\\\"\" }";
  const auto go_kind = [](const Value& wrong) -> std::string {
    if (wrong.is_boolean()) return "bool";
    return std::string(wrong.is_number() ? "number" : json::TypeName(wrong));
  };
  if (!value.is_object() && !value.is_null()) {
    return base::Error(BadRequest("couldn't get version/kind; json parse error: json: cannot unmarshal " +
                                  go_kind(value) + " into Go value of type " + kStruct));
  }
  for (const char* key : {"apiVersion", "kind"}) {
    const Value* member = json::Find(value, key);
    if (member == nullptr || member->is_string() || member->is_null()) continue;
    return base::Error(BadRequest("couldn't get version/kind; json parse error: json: cannot unmarshal " +
                                  go_kind(*member) + " into Go struct field ." + key + " of type string"));
  }
  const std::string& api_version = json::TextAt(value, {"apiVersion"});
  if (std::count(api_version.begin(), api_version.end(), '/') < 2) return {};
  return base::Error(BadRequest("unexpected GroupVersion string: " + api_version));
}

namespace {

// A warning has one line.
void WarnOfComplaint(Context& context, const std::string& complaint) {
  if (!complaint.starts_with(kYamlErrors)) {
    context.Warn(complaint);
    return;
  }
  for (const std::string_view line :
       base::Split(std::string_view(complaint).substr(kYamlErrors.size() + 1), '\n'))
    context.Warn(std::string(base::TrimSpace(line)));
}

// Fields of a custom resource are named as they are, those of a Go struct in Go's quotes.
std::string UnknownField(const Context& context, const std::string& field) {
  return "unknown field " + (context.strategy->builtin() ? base::Quote(field) : "\"" + field + "\"");
}

}  // namespace

std::string SummarizeBody(const std::string& body) {
  constexpr std::size_t kShown = 30;
  if (body.empty()) return "<empty>";
  const bool cut = body.size() > kShown;
  const std::string_view shown = std::string_view(body).substr(0, kShown);
  std::string text = body.front() == '{' ? std::string(shown) : base::HexEncode(shown);
  if (cut) text += " ...";
  return text;
}

base::Result<void> CoerceObject(Context& context, Value& object, FieldValidation validation,
                                std::vector<std::string> complaints) {
  std::vector<std::string> unknown;
  ANNEX_RETURN_IF_ERROR(
      context.strategy->Coerce(object, validation == FieldValidation::kIgnore ? nullptr : &unknown));
  for (const std::string& field : unknown) complaints.push_back(UnknownField(context, field));
  return JudgeComplaints(context, validation, complaints);
}

base::Result<void> JudgeComplaints(Context& context, FieldValidation validation,
                                   const std::vector<std::string>& complaints) {
  if (validation == FieldValidation::kIgnore || complaints.empty()) return {};
  if (validation == FieldValidation::kStrict) {
    return base::Error(BadRequest("strict decoding error: " + base::Join(complaints, ", ")));
  }
  for (const std::string& complaint : complaints) WarnOfComplaint(context, complaint);
  return {};
}

base::Result<Value> DecodeObject(Context& context, FieldValidation validation) {
  const Strategy& strategy = *context.strategy;
  const std::string& body = context.request.body;
  ANNEX_TRY(const Encoding encoding, NegotiateInput(context.request.headers));
  if (encoding == Encoding::kProtobuf && strategy.go_struct() == nullptr) return base::Error(NoProtobuf());
  auto decoded = ParseBody(body, encoding);
  if (!decoded) return base::Error(Unrecognized(context, decoded.error()));
  Value object = std::move(decoded->value);
  if (const auto typed = CheckTypeMeta(object); !typed)
    return base::Error(Unrecognized(context, typed.error()));
  if (strategy.builtin()) {
    if (const auto ours = CheckBuiltinKind(context, object); !ours) {
      return base::Error(CannotBeHandled(context, object, ours.error().message));
    }
  } else if (json::TextAt(object, {"kind"}).empty()) {
    return base::Error(Unrecognized(context, BadRequest("Object 'Kind' is missing in '" + body + "'")));
  }
  if (!decoded->out_of_range.empty())
    return base::Error(CannotBeHandled(context, object, decoded->out_of_range));
  if (encoding == Encoding::kProtobuf) {
    auto message = ReadProtobufMessage(decoded->message, *strategy.go_struct());
    if (!message) return base::Error(CannotBeHandled(context, object, message.error().message));
    message->update(object);
    object = *std::move(message);
  }
  const auto coerced = CoerceObject(context, object, validation, std::move(decoded->complaints));
  if (!coerced) return base::Error(CannotBeHandled(context, object, coerced.error().message));
  const std::string& api_version = json::TextAt(object, {"apiVersion"});
  if (api_version != strategy.ApiVersion()) {
    // Go writes a version of the group "" without its slash.
    const std::string shown = api_version.starts_with('/') ? api_version.substr(1) : api_version;
    return base::Error(BadRequest("the API version in the data (" + shown +
                                  ") does not match the expected API version (" + strategy.ApiVersion() +
                                  ")"));
  }
  return object;
}

}  // namespace annex::api
