// A request's body as an object of the resource, with the checks and warnings that kube-apiserver makes while
// decoding.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "context.h"
#include "options.h"

#include <string>

namespace annex::api {

// Decodes the body of a POST or PUT: JSON or YAML, coerced, pruned and defaulted. What strict readers
// complain about (unknown and duplicate fields) becomes warnings or, with fieldValidation=Strict, an error.
// Errors: UnsupportedMediaType, BadRequest.
base::Result<json::Value> DecodeObject(Context& context, FieldValidation validation);

// The same for an object that is JSON already: the outcome of a patch.
// Errors: BadRequest with the text of the decoder, without "cannot be handled as" around it.
base::Result<void> CoerceObject(Context& context, json::Value& object, FieldValidation validation,
                                std::vector<std::string> complaints);

// What a strict reader complains about becomes warnings, with kStrict an error (BadRequest), with kIgnore
// nothing.
base::Result<void> JudgeComplaints(Context& context, FieldValidation validation,
                                   const std::vector<std::string>& complaints);

// Whether apiVersion and kind are what Go can read into a struct of two strings. Errors: BadRequest.
base::Result<void> CheckTypeMeta(const json::Value& value);

// The first bytes of a body as messages show them: "(<empty>)", text, or hexadecimal.
std::string SummarizeBody(const std::string& body);

}  // namespace annex::api
