#include "validate_conversion.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/base/url.h"
#include "annex/definition/conditions.h"
#include "annex/definition/webhook.h"

#include <algorithm>
#include <set>
#include <string>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

constexpr const char* kOnlyForWebhooks = "should not be set when strategy is not set to Webhook";
constexpr const char* kUrlForm = "; desired format: https://host[/path]";

void CheckUrl(const std::string& text, const FieldPath& path, FieldErrors& errors) {
  const auto url = base::ParseUrl(text);
  if (!url) {
    errors.push_back(json::RequiredError(path, "url must be a valid URL: " + url.error().message + kUrlForm));
    return;
  }
  const auto invalid = [&](const std::string& value, const std::string& why) {
    errors.push_back(json::InvalidError(path, value, why));
  };
  if (url->scheme != "https") {
    invalid(url->scheme, std::string("'https' is the only allowed URL scheme") + kUrlForm);
  }
  if (url->host.empty()) invalid(url->host, std::string("host must be specified") + kUrlForm);
  if (url->has_user) invalid(url->user, "user information is not permitted in the URL");
  if (!url->fragment.empty()) invalid(url->fragment, "fragments are not permitted in the URL");
  if (!url->query.empty()) invalid(url->query, "query parameters are not permitted in the URL");
}

void CheckServicePath(const std::string& text, const FieldPath& path, FieldErrors& errors) {
  if (text.empty() || text == "/") return;
  const auto invalid = [&](const std::string& why) { errors.push_back(json::InvalidError(path, text, why)); };
  if (text == "//") {
    invalid("segment[0] may not be empty");
    return;
  }
  if (!text.starts_with('/')) invalid("must start with a '/'");
  std::string_view steps = std::string_view(text).substr(1);
  if (steps.ends_with('/')) steps.remove_suffix(1);
  std::size_t index = 0;
  for (const std::string_view step : base::Split(steps, '/')) {
    const std::string segment = "segment[" + std::to_string(index++) + "]";
    if (step.empty()) invalid(segment + " may not be empty");
    if (step.empty()) continue;
    for (const std::string& problem : base::CheckDns1123Subdomain(step))
      invalid(base::Join({segment, problem}, ": "));
  }
}

void CheckService(const Value& service, const FieldPath& path, FieldErrors& errors) {
  // kube-apiserver names the other of the two that is missing.
  if (json::TextAt(service, {"namespace"}).empty()) errors.push_back(json::RequiredError(path.Child("name")));
  if (json::TextAt(service, {"name"}).empty()) errors.push_back(json::RequiredError(path.Child("namespace")));
  const std::int64_t port = json::IntegerAt(service, {"port"});
  if (port < 1 || port > 65535) {
    errors.push_back(json::InvalidError(path.Child("port"), port,
                                        "port is not valid: must be between 1 and 65535, inclusive"));
  }
  CheckServicePath(json::TextAt(service, {"path"}), path.Child("path"), errors);
}

// A bundle that cannot be read keeps a new definition from being established. After that it is refused,
// unless it was wrong already.
bool AllowsInvalidBundle(const Value* old_definition) {
  if (old_definition == nullptr || !ConditionIsTrue(*old_definition, "Established")) return true;
  return !CheckCaBundleOf(*old_definition);
}

void CheckClientConfig(const Value& definition, const Value& config, const Value* old_definition,
                       const FieldPath& path, FieldErrors& errors) {
  const Value* url = json::Find(config, "url");
  const Value* service = json::Find(config, "service");
  if ((url == nullptr) == (service == nullptr)) {
    errors.push_back(json::RequiredError(path, "exactly one of url or service is required"));
  } else if (url != nullptr) {
    CheckUrl(json::TextAt(config, {"url"}), path.Child("url"), errors);
  } else {
    CheckService(*service, path.Child("service"), errors);
  }
  if (AllowsInvalidBundle(old_definition)) return;
  if (const auto checked = CheckCaBundleOf(definition); !checked) {
    errors.push_back(json::InvalidError(path.Child("caBundle"), json::TextAt(config, {"caBundle"}),
                                        checked.error().message));
  }
}

const Value::array_t& ReviewVersions(const Value& definition) {
  return json::ItemsAt(definition, {"spec", "conversion", "webhook", "conversionReviewVersions"});
}

bool HasKnownVersion(const Value::array_t& versions) {
  return std::any_of(versions.begin(), versions.end(),
                     [](const Value& version) { return version == kReviewV1 || version == kReviewV1Beta1; });
}

void CheckReviewVersions(const Value::array_t& versions, bool requires_known, const FieldPath& path,
                         FieldErrors& errors) {
  if (versions.empty()) {
    errors.push_back(json::RequiredError(path));
    return;
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string version = versions[i].is_string() ? versions[i].get<std::string>() : "";
    if (!seen.insert(version).second) {
      errors.push_back(json::InvalidError(path.Index(i), version, "duplicate version"));
      continue;
    }
    for (const std::string& problem : base::CheckDns1035Label(version)) {
      errors.push_back(json::InvalidError(path.Index(i), version, problem));
    }
  }
  if (requires_known && !HasKnownVersion(versions)) {
    errors.push_back(json::InvalidError(path, Value(versions), "must include at least one of v1, v1beta1"));
  }
}

}  // namespace

FieldErrors ValidateConversion(const Value& definition, const Value* old_definition) {
  FieldErrors errors;
  const FieldPath path("spec.conversion");
  // Messages name the fields as they are inside kube-apiserver.
  const FieldPath config_path = path.Child("webhookClientConfig");
  const FieldPath versions_path = path.Child("conversionReviewVersions");
  const std::string& strategy = json::TextAt(definition, {"spec", "conversion", "strategy"});
  const Value* config = json::FindPath(definition, {"spec", "conversion", "webhook", "clientConfig"});
  const auto& versions = ReviewVersions(definition);
  if (strategy.empty()) {
    errors.push_back(json::RequiredError(path.Child("strategy")));
  } else if (strategy != "None" && strategy != "Webhook") {
    errors.push_back(json::NotSupportedError(path.Child("strategy"), strategy, {"None", "Webhook"}));
  }
  if (strategy != "Webhook") {
    if (config != nullptr) errors.push_back(json::ForbiddenError(config_path, kOnlyForWebhooks));
    if (!versions.empty()) errors.push_back(json::ForbiddenError(versions_path, kOnlyForWebhooks));
    return errors;
  }
  if (config == nullptr) {
    errors.push_back(json::RequiredError(config_path, "required when strategy is set to Webhook"));
  } else {
    CheckClientConfig(definition, *config, old_definition, config_path, errors);
  }
  const bool requires_known = old_definition == nullptr || ReviewVersions(*old_definition).empty() ||
                              HasKnownVersion(ReviewVersions(*old_definition));
  CheckReviewVersions(versions, requires_known, versions_path, errors);
  return errors;
}

}  // namespace annex::definition
