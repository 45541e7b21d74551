// The order in which go-yaml writes the keys of a map: letters after everything else, numbers within keys by
// their value
// ("a2" before "a10").
//
// Thread rule: free functions.
#pragma once

#include <string_view>

namespace annex::json {

// No strict weak order for some odd keys (digits beyond 64 bits): sort with std::stable_sort, which stays
// within bounds.
bool YamlKeyLess(std::string_view a, std::string_view b);

}  // namespace annex::json
