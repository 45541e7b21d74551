// Conditions that a request makes on what it asks for: If-Match and If-None-Match, judged as Go's
// http.ServeContent judges them, which kube-apiserver answers OpenAPI documents with.
//
// Thread rule: a free function.
#pragma once

#include "annex/api/message.h"

#include <optional>
#include <string_view>

namespace annex::api {

// The status with which a request ends because of its conditions: 304 or 412; nullopt if it goes on.
// `etag` is what is asked for now, with its quotes; "" if it has none, and only "*" means it.
std::optional<int> EndedByCondition(const Request& request, std::string_view etag);

}  // namespace annex::api
