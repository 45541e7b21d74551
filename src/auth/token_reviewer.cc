#include "annex/auth/token_reviewer.h"

#include "annex/auth/digest.h"
#include "expiring_cache.h"
#include "review.h"

#include <optional>
#include <utility>

namespace annex::auth {
namespace {

using json::Value;

constexpr const char* kPath = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr std::size_t kCachedTokens = 4096;

std::vector<std::string> TextsOf(const Value& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Value& item : list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

// The user that a review's status names; nullopt if the token is not valid.
std::optional<User> UserOf(const Value& status) {
  const Value* authenticated = json::Find(status, "authenticated");
  const Value* found = json::Find(status, "user");
  if (authenticated == nullptr || *authenticated != true || found == nullptr) return std::nullopt;
  User user;
  user.name = json::TextAt(*found, {"username"});
  user.uid = json::TextAt(*found, {"uid"});
  if (const Value* groups = json::Find(*found, "groups")) user.groups = TextsOf(*groups);
  if (const Value* extra = json::Find(*found, "extra"); extra != nullptr && extra->is_object()) {
    for (const auto& [key, values] : extra->items()) user.extra[key] = TextsOf(values);
  }
  if (user.name.empty()) return std::nullopt;
  return user;
}

}  // namespace

class TokenReviewer::Cache : public ExpiringCache<std::optional<User>> {
 public:
  using ExpiringCache::ExpiringCache;
};

TokenReviewer::TokenReviewer(kube::Client& client, const base::Clock& clock, base::Random& random,
                             base::Metrics& metrics)
    : client_(client),
      clock_(clock),
      random_(random),
      reviews_(metrics.Counters("annex_token_reviews_total",
                                "Bearer tokens by result: cached, valid, invalid or error.", {"result"})),
      cache_(std::make_unique<Cache>(kCachedTokens)) {}

TokenReviewer::~TokenReviewer() = default;

base::Task<base::Result<User>> TokenReviewer::AuthenticateToken(std::string token, base::Executor& executor) {
  const std::string key = Sha256(token);
  std::optional<std::optional<User>> known = cache_->Find(key, clock_.Monotonic());
  if (known) {
    reviews_.With({"cached"}).Increment();
  } else {
    Value review = {{"apiVersion", "authentication.k8s.io/v1"},
                    {"kind", "TokenReview"},
                    {"spec", {{"token", std::move(token)}}}};
    auto status = co_await Review(client_, kPath, std::move(review), random_, executor);
    if (!status) {
      reviews_.With({"error"}).Increment();
      co_return base::Error(std::move(status.error()));
    }
    known = UserOf(*status);
    reviews_.With({*known ? "valid" : "invalid"}).Increment();
    cache_->Put(key, *known, clock_.Monotonic() + kReviewAge);
  }
  if (!*known) co_return base::Error(base::Reason::kUnauthorized, "Unauthorized");
  co_return **std::move(known);
}

}  // namespace annex::auth
