// Answers compressed with gzip.
//
// Thread rule: as BodySource. Failure: none; without memory for it the process ends.
#pragma once

#include "annex/api/message.h"

namespace annex::http {

// Turns a response into one that is compressed while it is sent, and says so in its headers.
void Compress(api::Response& response);

}  // namespace annex::http
