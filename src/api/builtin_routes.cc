#include "builtin_routes.h"

#include "annex/base/strings.h"
#include "status_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace annex::api {
namespace {

constexpr std::string_view kDocumentTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kStreamTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf, "
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
constexpr std::string_view kPatchTypes =
    "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, "
    "application/apply-patch+yaml";
constexpr std::string_view kAnyType = "*/*";

struct Route {
  std::string_view path;  // "{}" stands for one segment
  std::string_view methods;
  std::string_view produces = kDocumentTypes;
  std::string_view consumes = kAnyType;
};

constexpr auto kRoutes = std::to_array<Route>({
    {"/api", "GET", kDocumentTypes, kDocumentTypes},
    {"/api/v1", "GET", kDocumentTypes, kDocumentTypes},
    {"/api/v1/namespaces", "GET", kStreamTypes},
    {"/api/v1/namespaces", "POST"},
    {"/api/v1/namespaces/{}", "DELETE GET PUT"},
    {"/api/v1/namespaces/{}", "PATCH", kDocumentTypes, kPatchTypes},
    {"/api/v1/namespaces/{}/status", "GET PUT"},
    {"/api/v1/namespaces/{}/status", "PATCH", kDocumentTypes, kPatchTypes},
    {"/api/v1/watch/namespaces", "GET", kStreamTypes},
    {"/api/v1/watch/namespaces/{}", "GET", kStreamTypes},
    {"/apis/apiextensions.k8s.io/v1", "GET", kDocumentTypes, kDocumentTypes},
    {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "GET", kStreamTypes},
    {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "DELETE POST"},
    {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}", "DELETE GET PUT"},
    {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}", "PATCH", kDocumentTypes, kPatchTypes},
    {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}/status", "GET PUT"},
    {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}/status", "PATCH", kDocumentTypes,
     kPatchTypes},
    {"/apis/apiextensions.k8s.io/v1/watch/customresourcedefinitions", "GET", kStreamTypes},
    {"/apis/apiextensions.k8s.io/v1/watch/customresourcedefinitions/{}", "GET", kStreamTypes},
});

// /apis and /apis/GROUP are the aggregator's, which has no routes.
bool IsRouted(const std::vector<std::string>& segments) {
  if (segments.empty()) return false;
  if (segments[0] == "api") return true;
  return segments.size() >= 3 && segments[0] == "apis" && segments[1] == "apiextensions.k8s.io";
}

bool PathFits(const Route& route, const std::vector<std::string>& segments) {
  const auto parts = base::Split(route.path.substr(1), '/');
  return std::equal(
      parts.begin(), parts.end(), segments.begin(), segments.end(),
      [](std::string_view part, const std::string& segment) { return part == "{}" || part == segment; });
}

bool Names(std::string_view list, char separator, std::string_view wanted) {
  const auto items = base::Split(list, separator);
  return std::any_of(items.begin(), items.end(),
                     [wanted](std::string_view item) { return base::TrimSpace(item) == wanted; });
}

// Whether one of the types that a header lists is one of `types`, to the letter: "application/*" is none of
// them, and parameters do not count.
bool TypeFits(std::string_view header, std::string_view types) {
  const auto clauses = base::Split(header, ',');
  return std::any_of(clauses.begin(), clauses.end(), [types](std::string_view clause) {
    return Names(types, ',', base::TrimSpace(clause.substr(0, clause.find(';'))));
  });
}

bool Consumes(const Route& route, std::string_view method, std::string_view content_type) {
  if (route.consumes == kAnyType) return true;
  if (content_type.empty()) return method == "GET" || method == "DELETE";
  return TypeFits(content_type, route.consumes);
}

bool Produces(const Route& route, std::string_view accept) {
  return accept.empty() || TypeFits(accept, kAnyType) || TypeFits(accept, route.produces);
}

}  // namespace

base::Result<void> CheckBuiltinRoute(std::string_view method, const RequestInfo& info,
                                     const base::Headers& headers) {
  if (!IsRouted(info.segments)) return {};
  const auto here = [&info](const Route& route) { return PathFits(route, info.segments); };
  if (std::none_of(kRoutes.begin(), kRoutes.end(), here)) return base::Error(NoSuchResource());
  const auto route = std::find_if(kRoutes.begin(), kRoutes.end(), [&](const Route& candidate) {
    return here(candidate) && Names(candidate.methods, ' ', method);
  });
  if (route == kRoutes.end()) return base::Error(MethodNotAllowed());
  if (!Consumes(*route, method, headers.First("content-type"))) return base::Error(NoSuchContent());
  if (!Produces(*route, headers.First("accept")))
    return base::Error(NoSuchRepresentation(std::string(route->produces)));
  return {};
}

}  // namespace annex::api
