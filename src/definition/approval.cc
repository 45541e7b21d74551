#include "annex/definition/approval.h"

#include "annex/base/strings.h"
#include "annex/base/url.h"

#include <string_view>

namespace annex::definition {
namespace {

using State = Approval::State;

constexpr std::string_view kSee = ", see https://github.com/kubernetes/enhancements/pull/1111";
constexpr std::string_view kNeeded =
    "protected groups must have approval annotation \"api-approved.kubernetes.io\"";

bool IsProtected(std::string_view group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

// Whether a text is a URI with a scheme and a host.
bool IsAddress(const std::string& text) {
  const auto url = base::ParseUrl(text);
  return url && !url->scheme.empty() && !url->host.empty();
}

}  // namespace

std::optional<Approval> ApprovalOf(const json::Value& definition) {
  if (!IsProtected(json::TextAt(definition, {"spec", "group"}))) return std::nullopt;
  const std::string& value = json::TextAt(definition, {"metadata", "annotations", kApprovalAnnotation});
  std::string message(kNeeded);
  if (value.empty()) return Approval{State::kMissing, message.append(kSee)};
  if (value.starts_with("unapproved"))
    return Approval{State::kBypassed, "not approved: " + base::Quote(value)};
  if (IsAddress(value)) return Approval{State::kApproved, "approved in " + value};
  message.append(" with either a URL or a reason starting with \"unapproved\"").append(kSee);
  return Approval{State::kInvalid, std::move(message)};
}

Condition ConditionOf(const Approval& approval) {
  constexpr const char* kType = "KubernetesAPIApprovalPolicyConformant";
  switch (approval.state) {
    case State::kMissing:
      return {kType, "False", "MissingAnnotation", approval.message};
    case State::kInvalid:
      return {kType, "False", "InvalidAnnotation", approval.message};
    case State::kBypassed:
      return {kType, "False", "UnapprovedAnnotation", approval.message};
    case State::kApproved:
      break;
  }
  return {kType, "True", "ApprovedAnnotation", approval.message};
}

}  // namespace annex::definition
