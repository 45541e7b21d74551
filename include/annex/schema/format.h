// The formats of strings that kube-apiserver checks, by name ("date-time"; dashes do not count).
//
// Thread rule: free functions.
#pragma once

#include <string_view>

namespace annex::schema {

// Whether strings are checked for this format at all.
bool IsKnownFormat(std::string_view format);

}  // namespace annex::schema
