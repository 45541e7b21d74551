// Writing JSON text the way Go's encoding/json does, so that bodies are equal to kube-apiserver's byte by
// byte.
//
// Keys in bytewise order, no white space, <, > and & escaped as \u003c…, U+2028 and U+2029 escaped, invalid
// UTF-8 as \ufffd, doubles in their shortest form (1.0 prints as 1, exponents from 1e21 and below 1e-6).
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <string>
#include <string_view>

namespace annex::json {

void AppendJson(std::string& out, const Value& value);
std::string ToJson(const Value& value);

// With two spaces of indentation, as for ?pretty=true.
std::string ToPrettyJson(const Value& value);

// Compact JSON text indented in the same way, without taking it apart into a Value: keys keep their order.
// REQUIRES: `json` is valid JSON.
std::string Indent(std::string_view json);

// A string with its quotes.
void AppendJsonString(std::string& out, std::string_view text);

// A double as Go prints it in JSON. NaN and infinities (which no Value of Parse holds) print as null; -0.0
// prints as what Kubernetes reads in the "-0" that it stored: 0.
void AppendJsonNumber(std::string& out, double number);

}  // namespace annex::json
