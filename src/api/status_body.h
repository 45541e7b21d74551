// metav1.Status as JSON, in the order of Go's struct.
#pragma once

#include "annex/base/status.h"
#include "annex/json/value.h"

#include <string>

namespace annex::api {

// The body of a failed request; without the newline that ends it.
std::string StatusJson(const base::Status& status);

// The body of a deletion that left nothing: Status Success with details.
std::string DeletedStatusJson(const std::string& name, const std::string& group, const std::string& plural,
                              const std::string& uid);

}  // namespace annex::api
