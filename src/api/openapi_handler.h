// How /openapi/v2 and /openapi/v3 are answered over HTTP, as kube-apiserver 1.34 does it:
//
//   /openapi/v2    200, JSON unless the Accept header prefers protobuf
//                  (application/com.github.proto-openapi.spec.v2@v1.0+protobuf, answered as
//                  ….v2.v1.0+protobuf); ETag; Vary: Accept-Encoding and Accept.
//   /openapi/v3    200, the list of documents, whatever is accepted; as text/plain and without an
//                  ETag, like that of kube-apiserver's aggregator.
//   /openapi/v3/apis/G/V
//                  like v2, but Vary: Accept; 404 without a body if there is no such document.
//     ?hash=H      with the document's hash it may be kept for ever: Cache-Control: public, immutable, and
//                  Expires in a year; with another one 301 to the right URL.
//
// Every other media type is 406 without a body. If-Match and If-None-Match are conditional.h's; methods other
// than GET and HEAD are answered like GET. All other answers say Cache-Control: no-cache, private (ApiService
// adds it).
//
// Deviations: no Last-Modified and no ranges. Behind a kube-apiserver no redirect: it turns a redirect of an
// aggregated server into 502, so a hash that is out of date gets the document, not to be kept. An Accept
// header without any media type is 406, not an empty 200.
//
// Thread rule: a free function.
#pragma once

#include "annex/api/message.h"
#include "annex/base/clock.h"
#include "annex/definition/registry.h"
#include "openapi.h"
#include "query_parameters.h"

#include <optional>
#include <string_view>

namespace annex::api {

// `path` is decoded: "/openapi/v3/apis/example.com/v1". nullopt if there is no such path.
std::optional<Response> ServeOpenApi(OpenApi& openapi, const definition::Snapshot& snapshot,
                                     const Request& request, std::string_view path,
                                     const QueryParameters& query, const base::Clock& clock);

}  // namespace annex::api
