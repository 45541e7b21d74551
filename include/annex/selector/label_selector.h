// Label selectors: "app=web,tier in (a,b),!legacy,size>3".
//
// Grammar, order of checks and error texts are those of k8s.io/apimachinery/pkg/labels.
#pragma once

#include "annex/base/result.h"
#include "annex/selector/query.h"

#include <string_view>
#include <vector>

namespace annex::selector {

// The conditions of a label selector; none for an empty text.
// Errors: BadRequest with the text of Kubernetes' parser ("unable to parse requirement: …").
base::Result<std::vector<TermCondition>> ParseLabelSelector(std::string_view text);

}  // namespace annex::selector
