// RequestInfo: what a request's method, path and query ask for, found once. Authorization and routing use the
// same RequestInfo, so that nobody can be authorized for one thing and served another
// (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
//
// Thread rule: a value type.
#pragma once

#include "annex/base/result.h"
#include "query_parameters.h"

#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

struct RequestInfo {
  bool resource_request = false;
  std::string path;  // decoded
  std::string verb;  // "get", "list", "deletecollection", …; the lower-case method of a non-resource request
  // Resource requests.
  std::string group;
  std::string version;
  std::string namespace_name;
  std::string resource;
  std::string subresource;
  std::string name;
  std::size_t parts = 0;           // segments from the resource on
  bool namespace_in_path = false;  // the resource stands below namespaces/NAME/
  bool watch_prefix = false;       // the deprecated /apis/G/V/watch/… form
  bool incomplete = false;         // the path ends after watch or proxy; nothing below is known

  // The segments of the path.
  std::vector<std::string> segments;
};

// Takes the path apart. kube-apiserver passes paths on decoded and as they came, so segments that could mean
// something else further on are refused: empty ones, ".", "..", and any with a NUL. Errors: BadRequest.
base::Result<RequestInfo> ParseRequestInfo(std::string_view method, std::string_view path,
                                           const QueryParameters& query);

}  // namespace annex::api
