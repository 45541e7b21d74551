// Field selectors: "metadata.name=a,spec.color!=red". A value may hold ',', '=' and '\' after a backslash.
//
// Grammar and error texts are those of k8s.io/apimachinery/pkg/fields.
#pragma once

#include "annex/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace annex::selector {

struct FieldRequirement {
  std::string field;  // as written: "spec.color"
  bool equal = true;  // else: differs
  std::string value;
  bool operator==(const FieldRequirement&) const = default;
};

// The requirements in Kubernetes' order (sorted by their text); none for an empty text.
// Errors: BadRequest ("invalid selector: 'a'; can't understand 'a'", "invalid field selector: …").
base::Result<std::vector<FieldRequirement>> ParseFieldSelector(std::string_view text);

}  // namespace annex::selector
