// A server-side apply's body: YAML, of which JSON is a part.
//
// Thread rule: a value type.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "context.h"
#include "options.h"

#include <string>
#include <vector>

namespace annex::api {

class ApplyDocument {
 public:
  // Errors: BadRequest.
  static base::Result<ApplyDocument> Read(const std::string& body);

  // The applied part of an object. All its numbers are floating-point, as field ownership wants them.
  const json::Value& object() const { return object_; }

  // Complains about keys that occur twice, after everything else: warnings or, if the client is strict, an
  // error. Errors: BadRequest.
  base::Result<void> Complain(Context& context, FieldValidation validation) const;

 private:
  json::Value object_;
  std::vector<std::string> complaints_;
};

}  // namespace annex::api
