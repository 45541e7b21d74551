// Finishing an answer: errors as Status bodies, warnings, the headers that every answer has.
#pragma once

#include "annex/api/message.h"
#include "annex/base/status.h"
#include "negotiation.h"
#include "query_parameters.h"

#include <string>
#include <vector>

namespace annex::api {

// The Status of a failed request, in the form that the request accepts.
Response ErrorResponse(const base::Headers& request_headers, const QueryParameters& query,
                       const base::Status& status);

// A Status (as status_body.h writes it) in the form that was chosen.
std::string StatusBody(const std::string& json, const OutputFormat& format);

// 404 for paths that nothing stands behind: text, as Go's router answers.
Response PageNotFound();

Response TextResponse(int status, std::string text);

// `299 - "text"` for each warning, with kube-apiserver's bound on their total length.
void AddWarnings(Response& response, const std::vector<std::string>& warnings);

}  // namespace annex::api
