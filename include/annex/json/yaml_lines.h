// Where in a YAML file a field stands, for messages to people.
//
// Thread rule: a free function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// The line (1-based) of the key that `path` leads to in the document that begins in line `document`; of its
// last part that there is if the rest is missing. Items of lists are named by their number. `text` has been
// read by ParseYamlDocuments.
std::size_t YamlLineOf(std::string_view text, std::size_t document, const std::vector<std::string>& path);

}  // namespace annex::json
