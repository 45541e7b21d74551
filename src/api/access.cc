#include "access.h"

#include "annex/base/strings.h"
#include "status_text.h"

#include <utility>

namespace annex::api {
namespace {

auth::Attributes AttributesOf(const Context& context, std::string verb) {
  const RequestInfo& info = context.info;
  auth::Attributes attributes;
  attributes.user = context.user;
  attributes.verb = std::move(verb);
  attributes.resource_request = info.resource_request;
  attributes.path = info.path;
  if (!info.resource_request) return attributes;
  attributes.group = info.group;
  attributes.version = info.version;
  attributes.resource = info.resource;
  attributes.subresource = info.subresource;
  attributes.namespace_name = info.namespace_name;
  attributes.name = info.name;
  const bool selects = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  if (selects && !info.watch_prefix) {
    attributes.field_selector = context.query.Get("fieldSelector");
    attributes.label_selector = context.query.Get("labelSelector");
  }
  return attributes;
}

// `widgets.example.com "a" is forbidden: User "u" cannot get resource "widgets" in API group "example.com" in
// the namespace "n"`
base::Status ForbiddenFor(const auth::Attributes& attributes, const std::string& reason) {
  const std::string user = "User " + base::Quote(attributes.user.name) + " cannot " + attributes.verb;
  std::string why;
  if (!attributes.resource_request) {
    why = user + " path " + base::Quote(attributes.path);
    if (!reason.empty()) why += ": " + reason;
    base::Status status{base::Reason::kForbidden, "forbidden: " + why};
    status.details.present = true;
    return status;
  }
  std::string resource = attributes.resource;
  if (!attributes.subresource.empty()) resource += "/" + attributes.subresource;
  why = user + " resource " + base::Quote(resource) + " in API group " + base::Quote(attributes.group);
  why += attributes.namespace_name.empty() ? " at the cluster scope"
                                           : " in the namespace " + base::Quote(attributes.namespace_name);
  if (!reason.empty()) why += ": " + reason;
  return Forbidden({attributes.group, attributes.resource}, attributes.name, why);
}

}  // namespace

base::Task<base::Result<void>> CheckAllowed(const Context& context, std::string verb) {
  const auto attributes = [&context, &verb] { return AttributesOf(context, verb); };
  ANNEX_CO_TRY(const auth::Decision decision,
               co_await context.parts.authorizer.Authorize(attributes(), context.executor()));
  if (decision.allowed) co_return base::Result<void>();
  co_return base::Error(ForbiddenFor(attributes(), decision.reason));
}

}  // namespace annex::api
