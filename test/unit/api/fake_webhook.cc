#include "fake_webhook.h"

#include "annex/json/read.h"
#include "annex/json/write.h"

#include <utility>

namespace annex::test {
namespace {

using json::Value;

void Convert(Value& object, const std::string& api_version) {
  object["apiVersion"] = api_version;
  const bool to_v2 = api_version.ends_with("/v2");
  if (Value* spec = json::Find(object, "spec")) {
    const char* before = to_v2 ? "size" : "length";
    if (spec->contains(before)) (*spec)[to_v2 ? "length" : "size"] = (*spec)[before];
    spec->erase(before);
  }
  Value& metadata = object["metadata"];
  if (to_v2) {
    metadata["labels"]["shown"] = "v2";
  } else if (Value* labels = json::Find(metadata, "labels")) {
    labels->erase("shown");
    if (labels->empty()) metadata.erase("labels");
  }
}

}  // namespace

base::Task<base::Result<kube::WebhookReply>> FakeWebhook::Post(
    std::shared_ptr<const kube::WebhookTarget> target, std::string body, base::Executor& executor) {
  // An answer never comes in the turn that asks for it.
  co_await base::Await<bool>(executor, [](auto done) { done(true); });
  Value review = json::Parse(body).value();
  const Value request = review["request"];
  calls_.push_back(request["objects"].size());
  Value converted = Value::array();
  for (Value object : request["objects"]) {
    Convert(object, request["desiredAPIVersion"].get<std::string>());
    converted.push_back(std::move(object));
  }
  review.erase("request");
  review["response"] = {{"uid", request["uid"]},
                        {"result", {{"status", "Success"}}},
                        {"convertedObjects", std::move(converted)}};
  if (distort) distort(review);
  co_return kube::WebhookReply{200, "application/json", json::ToJson(review)};
}

std::vector<std::size_t> FakeWebhook::TakeCalls() {
  return std::exchange(calls_, {});
}

}  // namespace annex::test
