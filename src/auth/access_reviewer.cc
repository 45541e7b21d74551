#include "annex/auth/access_reviewer.h"

#include "annex/json/write.h"
#include "expiring_cache.h"
#include "review.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace annex::auth {
namespace {

using json::Value;

constexpr const char* kPath = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr std::size_t kCachedDecisions = 8192;
// Requests whose attributes are longer are decided each time (k8s.io/apiserver's webhook authorizer).
constexpr std::size_t kCacheableBytes = 10'000;
constexpr std::array<std::string_view, 3> kOpenPaths = {"/healthz", "/readyz", "/livez"};

bool NeedsNoReview(const Attributes& attributes) {
  if (attributes.user.InGroup(kMastersGroup)) return true;
  return !attributes.resource_request &&
         std::find(kOpenPaths.begin(), kOpenPaths.end(), attributes.path) != kOpenPaths.end();
}

void SetIfGiven(Value& object, const char* field, const std::string& value) {
  if (!value.empty()) object[field] = value;
}

Value ResourceAttributes(const Attributes& attributes) {
  Value resource = {{"verb", attributes.verb}, {"resource", attributes.resource}};
  SetIfGiven(resource, "group", attributes.group);
  SetIfGiven(resource, "version", attributes.version);
  SetIfGiven(resource, "subresource", attributes.subresource);
  SetIfGiven(resource, "namespace", attributes.namespace_name);
  SetIfGiven(resource, "name", attributes.name);
  if (!attributes.field_selector.empty())
    resource["fieldSelector"] = {{"rawSelector", attributes.field_selector}};
  if (!attributes.label_selector.empty())
    resource["labelSelector"] = {{"rawSelector", attributes.label_selector}};
  return resource;
}

Value SpecOf(const Attributes& attributes) {
  Value spec = Value::object();
  SetIfGiven(spec, "user", attributes.user.name);
  SetIfGiven(spec, "uid", attributes.user.uid);
  if (!attributes.user.groups.empty()) spec["groups"] = attributes.user.groups;
  if (!attributes.user.extra.empty()) spec["extra"] = attributes.user.extra;
  if (attributes.resource_request) {
    spec["resourceAttributes"] = ResourceAttributes(attributes);
  } else {
    spec["nonResourceAttributes"] = {{"path", attributes.path}, {"verb", attributes.verb}};
  }
  return spec;
}

bool IsTrue(const Value& status, std::string_view field) {
  const Value* value = json::Find(status, field);
  return value != nullptr && *value == true;
}

base::Result<Decision> DecisionOf(const Value& status) {
  const bool allowed = IsTrue(status, "allowed");
  if (allowed && IsTrue(status, "denied")) {
    return base::Error(base::Reason::kInternalError,
                       "webhook subject access review returned both allow and deny response");
  }
  Decision decision;
  decision.allowed = allowed;
  decision.reason = json::TextAt(status, {"reason"});
  return decision;
}

}  // namespace

class AccessReviewer::Cache : public ExpiringCache<Decision> {
 public:
  using ExpiringCache::ExpiringCache;
};

AccessReviewer::AccessReviewer(kube::Client& client, const base::Clock& clock, base::Random& random,
                               base::Metrics& metrics)
    : client_(client),
      clock_(clock),
      random_(random),
      reviews_(metrics.Counters("annex_access_reviews_total",
                                "Authorizations by result: cached, allowed, denied or error.", {"result"})),
      cache_(std::make_unique<Cache>(kCachedDecisions)) {}

AccessReviewer::~AccessReviewer() = default;

base::Task<base::Result<Decision>> AccessReviewer::Authorize(Attributes attributes,
                                                             base::Executor& executor) {
  if (NeedsNoReview(attributes)) co_return Decision{true, ""};
  Value spec = SpecOf(attributes);
  const std::string key = json::ToJson(spec);
  if (auto known = cache_->Find(key, clock_.Monotonic())) {
    reviews_.With({"cached"}).Increment();
    co_return *std::move(known);
  }
  Value review = {
      {"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", std::move(spec)}};
  auto status = co_await Review(client_, kPath, std::move(review), random_, executor);
  auto decision =
      status ? DecisionOf(*status) : base::Result<Decision>(base::Error(std::move(status.error())));
  if (!decision) {
    reviews_.With({"error"}).Increment();
    co_return decision;
  }
  reviews_.With({decision->allowed ? "allowed" : "denied"}).Increment();
  if (key.size() <= kCacheableBytes) cache_->Put(key, *decision, clock_.Monotonic() + kReviewAge);
  co_return decision;
}

}  // namespace annex::auth
