#include "review.h"

#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/schema/types.h"
#include "reply.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace annex::conversion {
namespace {

using json::Value;

constexpr std::string_view kGroup = "apiextensions.k8s.io/";

auto Problem(std::string message) {
  return base::Error(base::Reason::kUnknown, std::move(message));
}

// Whether kube-apiserver, reading an answer, knows a kind other than the one that it waits for.
bool IsKnownKind(const std::string& api_version, const std::string& kind) {
  static constexpr std::array kKinds = {"ConversionReview", "CustomResourceDefinition",
                                        "CustomResourceDefinitionList"};
  if (api_version == "v1") return kind == "Status";
  if (!api_version.starts_with(kGroup)) return false;
  const std::string_view version = std::string_view(api_version).substr(kGroup.size());
  return (version == "v1" || version == "v1beta1") &&
         std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

// "apiextensions.k8s.io/v1, Kind=ConversionReview"; nothing known is "/, Kind=".
std::string ShowKind(const std::string& api_version, const std::string& kind) {
  return (api_version.empty() ? "/" : api_version) + ", Kind=" + kind;
}

// An answer that names another type is refused; one that names none is read as what was expected.
base::Result<void> CheckType(const Value& review, const std::string& review_version) {
  const std::string& api_version = json::TextAt(review, {"apiVersion"});
  const std::string& kind = json::TextAt(review, {"kind"});
  const std::string expected = std::string(kGroup) + review_version;
  if (api_version.empty() || kind.empty() || (api_version == expected && kind == "ConversionReview"))
    return {};
  if (!IsKnownKind(api_version, kind)) {
    return Problem("no kind " + base::Quote(kind) + " is registered for version " + base::Quote(api_version) +
                   " in scheme \"pkg/runtime/scheme.go:110\"");
  }
  const std::string version = api_version.substr(api_version.find('/') + 1);
  return Problem("converting (" + version + "." + kind + ") to (" + review_version +
                 ".ConversionReview): unknown conversion");
}

// v1 demands what v1beta1 did not: that the answer says what it is, and to what.
base::Result<void> CheckEnvelope(const Value& review, const Question& question) {
  const Value* response = json::Find(review, "response");
  const bool answered = response != nullptr && response->is_object();
  if (question.review_version == "v1") {
    const std::string expected = ShowKind(std::string(kGroup) + "v1", "ConversionReview");
    const std::string found = ShowKind(json::TextAt(review, {"apiVersion"}), json::TextAt(review, {"kind"}));
    if (found != expected) return Problem("expected webhook response of " + expected + ", got " + found);
    if (!answered) return Problem("no response provided");
    const std::string& uid = json::TextAt(*response, {"uid"});
    if (uid != question.uid) {
      return Problem("expected response.uid=" + base::Quote(question.uid) + ", got " + base::Quote(uid));
    }
  }
  if (!answered) return Problem("no response provided");
  const std::string& status = json::TextAt(*response, {"result", "status"});
  if (status == "Success") return {};
  const std::string& message = json::TextAt(*response, {"result", "message"});
  if (!message.empty()) return Problem(message);
  return Problem("response.result.status was '" + status + "', not 'Success'");
}

}  // namespace

std::string WriteReview(const Question& question) {
  std::string body = "{\"kind\":\"ConversionReview\",\"apiVersion\":\"";
  body.append(kGroup).append(question.review_version).append("\",\"request\":{\"uid\":");
  json::AppendJsonString(body, question.uid);
  body += ",\"desiredAPIVersion\":";
  json::AppendJsonString(body, question.api_version);
  body += ",\"objects\":[";
  for (const Value& object : question.objects) {
    if (&object != question.objects.data()) body += ',';
    json::AppendJson(body, object);
  }
  // Go writes an empty answer too.
  body += "]},\"response\":{\"uid\":\"\",\"convertedObjects\":null,\"result\":{\"metadata\":{}}}}\n";
  return body;
}

base::Result<std::vector<Value>> ReadReview(const Question& question, const kube::WebhookReply& reply) {
  auto review = ReadReply(reply);
  if (!review) return Problem(review.error().message);
  ANNEX_RETURN_IF_ERROR(CheckType(*review, question.review_version));
  const Value type = {{"apiVersion", json::TextAt(*review, {"apiVersion"})},
                      {"kind", json::TextAt(*review, {"kind"})}};
  if (const auto read = schema::ReadTyped(*review, schema::ConversionReviewType(), ""); !read) {
    return Problem(read.error().message);
  }
  review->update(type);
  ANNEX_RETURN_IF_ERROR(CheckEnvelope(*review, question));
  std::vector<Value> objects;
  Value& response = *json::Find(*review, "response");
  if (Value* converted = json::Find(response, "convertedObjects"); converted->is_array()) {
    objects = std::move(converted->get_ref<Value::array_t&>());
  }
  return objects;
}

}  // namespace annex::conversion
