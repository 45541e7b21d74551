#include "annex/conversion/webhook_converter.h"

#include "converted_object.h"
#include "review.h"
#include "webhook_target.h"

#include <chrono>
#include <cstddef>
#include <utility>

namespace annex::conversion {
namespace {

using json::Value;
using Objects = std::vector<Value>;

// kube-apiserver's words for what failed, in its metrics.
constexpr const char* kNone = "";
constexpr const char* kCall = "conversion_webhook_call_failure";
constexpr const char* kPartial = "conversion_webhook_partial_response_failure";
constexpr const char* kInvalidObject = "conversion_webhook_invalid_converted_object_failure";

auto Problem(std::string message) {
  return base::Error(base::Reason::kUnknown, std::move(message));
}

}  // namespace

WebhookConverter::WebhookConverter(const Parts& parts)
    : parts_(parts),
      requests_(parts.metrics.Counters("apiserver_conversion_webhook_request_total",
                                       "Calls of conversion webhooks, by result and kind of failure",
                                       {"result", "failure_type"})),
      durations_(
          parts.metrics.Histograms("apiserver_conversion_webhook_duration_seconds",
                                   "How long calls of conversion webhooks took", {"result", "failure_type"},
                                   {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60})) {}

void WebhookConverter::Observe(const char* failure, std::chrono::steady_clock::time_point begin) {
  const std::vector<std::string> labels = {*failure == '\0' ? "success" : "failure", failure};
  requests_.With(labels).Increment();
  durations_.With(labels).Observe(std::chrono::duration<double>(parts_.clock.Monotonic() - begin).count());
}

base::Task<base::Result<Objects>> WebhookConverter::Convert(
    std::shared_ptr<const definition::Webhook> webhook, std::string api_version, Objects objects,
    base::Executor& executor) {
  Question question;
  question.review_version = webhook->review_version;
  question.api_version = api_version;
  std::vector<std::size_t> places;  // in `objects`, of those that are asked for
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (json::TextAt(objects[i], {"apiVersion"}) == api_version) continue;
    question.objects.push_back(std::move(objects[i]));
    places.push_back(i);
  }
  if (places.empty()) co_return objects;
  question.uid = parts_.random.Uuid();
  const std::string about = WebhookFor(question.objects.front());
  if (question.review_version.empty()) co_return Problem("no supported conversion review versions");
  auto target = TargetOf(*webhook);
  if (!target) co_return Problem(about + " failed: " + target.error().message);

  const auto begin = parts_.clock.Monotonic();
  const auto shared_target = std::make_shared<const kube::WebhookTarget>(*std::move(target));
  std::string body = WriteReview(question);
  const auto reply = co_await parts_.caller.Post(shared_target, std::move(body), executor);
  auto converted = reply ? ReadReview(question, *reply) : base::Result<Objects>(base::Error(reply.error()));
  if (!converted) {
    Observe(kCall, begin);
    co_return Problem(about + " failed: " + converted.error().message);
  }
  if (converted->size() != places.size()) {
    Observe(kPartial, begin);
    co_return Problem(about + " returned " + std::to_string(converted->size()) + " objects, expected " +
                      std::to_string(places.size()));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto accepted = AcceptConverted(question.objects[i], (*converted)[i], api_version, i);
    if (!accepted) {
      Observe(kInvalidObject, begin);
      co_return base::Error(accepted.error());
    }
    objects[places[i]] = std::move((*converted)[i]);
  }
  Observe(kNone, begin);
  co_return objects;
}

}  // namespace annex::conversion
