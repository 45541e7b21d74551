// What kube-apiserver's router makes of a request for its compiled-in types, before anything else looks at it
// (github.com/emicklei/go-restful: curly.go and jsr311.go; k8s.io/apiserver/pkg/endpoints/installer.go).
//
// Custom resources have no such router: their handler does what is done here by itself, in other words.
//
// Thread rule: free functions.
#pragma once

#include "annex/base/headers.h"
#include "annex/base/result.h"
#include "request_info.h"

#include <string_view>

namespace annex::api {

// Whether there is a route for the path, the method, the type of the body and the types that the client
// takes. Paths that do not belong to the compiled-in groups are all right. Errors: NotFound,
// MethodNotAllowed, UnsupportedMediaType, NotAcceptable, in the router's own words.
base::Result<void> CheckBuiltinRoute(std::string_view method, const RequestInfo& info,
                                     const base::Headers& headers);

}  // namespace annex::api
