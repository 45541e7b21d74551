// Members of an object in canonical JSON text, found and put in order without parsing their values.
//
// Thread rule: free functions. Ownership: what is given out are places in the caller's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annex::api {

// The text of the top-level member `key`, with its place; nullopt if there is none. REQUIRES: `json` is an
// object in canonical JSON.
struct MemberText {
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::optional<MemberText> FindMemberText(std::string_view json, std::string_view key);

// Appends the metadata of an object as Go writes its ObjectMeta: fields in the order of the struct instead of
// the alphabet, with `revision` as the resourceVersion. REQUIRES: `metadata` is what the store keeps.
void AppendMetadataInOrder(std::string& out, std::string_view metadata, std::int64_t revision);

}  // namespace annex::api
