// Reading JSON text the way kube-apiserver's decoder does.
//
// An own reader rather than the library's, because clients see its behaviour: Go's error texts, invalid UTF-8
// and lone surrogates become U+FFFD instead of an error, the last of several equal keys wins and the others
// are reported by path (fieldValidation), integers stay integers. It also is several times faster.
//
// Thread rule: free functions. Failure: BadRequest with the text of Go's encoding/json.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// Arrays and objects within one another, as Go's encoding/json allows.
inline constexpr std::size_t kMaxDepth = 10000;

// What a strict reader complains about.
struct ReadReport {
  // Paths such as "spec.size" or "spec.items[2].name" of keys that occur again, in the order of reading, each
  // once.
  std::vector<std::string> duplicate_fields;
  // What Go's decoder says of the first number that no double can hold. With a report the reading goes on
  // past it, as it does there; the number is 0 then.
  std::string out_of_range;
};

// The document in `text`; anything after it but white space is an error. `report` may be nullptr.
base::Result<Value> Parse(std::string_view text, ReadReport* report = nullptr);

}  // namespace annex::json
