// Webhook: who converts the objects of a definition between its versions (spec.conversion.webhook).
//
// Thread rule: a value type and free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::definition {

// The versions of ConversionReview that there are.
inline constexpr std::string_view kReviewV1 = "v1";
inline constexpr std::string_view kReviewV1Beta1 = "v1beta1";

struct Webhook {
  struct Service {
    std::string namespace_name;
    std::string name;
    std::string path;
    std::int32_t port = 443;
  };
  // Exactly one of both.
  std::string url;
  std::optional<Service> service;
  // PEM; "" if the system's authorities decide.
  std::string ca_bundle;
  // The bundle cannot be read: nothing of the definition is served until it is another one.
  bool unusable = false;
  // The version of the reviews that are sent: the first of the definition's that there is.
  std::string review_version;
};

// The webhook of a definition; nullopt if its objects are not converted by one (strategy None).
std::optional<Webhook> ReadWebhook(const json::Value& definition);

// Whether PEM text holds a certificate that can be read. Errors: Invalid with kube-apiserver's text. ""
// is right: it stands for the system's authorities.
base::Result<void> CheckCaBundle(std::string_view pem);

// The same for the bundle of a definition, whatever its strategy.
base::Result<void> CheckCaBundleOf(const json::Value& definition);

}  // namespace annex::definition
