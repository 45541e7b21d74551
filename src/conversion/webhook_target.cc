#include "webhook_target.h"

#include "annex/base/strings.h"
#include "annex/base/url.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::conversion {
namespace {

constexpr std::uint64_t kHttpsPort = 443;

// Go's path.Join("/", path): empty segments and "." go, ".." takes its parent with it.
std::string CleanPath(std::string_view path) {
  std::vector<std::string> segments;
  for (const std::string_view segment : base::Split(path, '/')) {
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") segments.emplace_back(segment);
  }
  return "/" + base::Join(segments, "/");
}

}  // namespace

base::Result<kube::WebhookTarget> TargetOf(const definition::Webhook& webhook) {
  kube::WebhookTarget target;
  target.ca_bundle = webhook.ca_bundle;
  if (webhook.service) {
    target.service = {webhook.service->namespace_name, webhook.service->name};
    target.host = webhook.service->name + "." + webhook.service->namespace_name + ".svc";
    target.port = static_cast<std::uint16_t>(webhook.service->port);
    target.authority = target.host + ":" + std::to_string(target.port);
    target.path = base::EscapePath(CleanPath(webhook.service->path));
    return target;
  }
  ANNEX_TRY(const base::Url url, base::ParseUrl(webhook.url));
  const std::string port = url.Port();
  const auto number = port.empty() ? kHttpsPort : base::ParseUint64(port).value_or(0);
  if (number == 0 || number > 65535) {
    return base::Error(base::Reason::kBadRequest, "there is no port " + base::Quote(port));
  }
  target.host = url.Hostname();
  target.port = static_cast<std::uint16_t>(number);
  target.authority = url.host;
  target.path = base::EscapePath(CleanPath(url.path));
  return target;
}

}  // namespace annex::conversion
