// ControlledObjects: what the controllers of standalone mode may do to the objects that the API serves.
//
// The API implements it, so that there is one place that writes objects; source does not know the API.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/resource.h"
#include "annex/json/value.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace annex::source {

class ControlledObjects {
 public:
  virtual ~ControlledObjects() = default;

  // Changes one object: `change` edits it, and may be called again after a lost race; it returns whether
  // there is anything to write. An object under deletion that has no finalizers left is removed. An object
  // that does not exist is no error.
  virtual base::Task<base::Result<void>> Update(std::string name,
                                                std::function<bool(json::Value& object)> change,
                                                base::Executor& executor) = 0;
};

// Deletes the objects of a resource, in one namespace or (namespace_name empty) everywhere; the result is how
// many are left, waiting for their finalizers.
using DeleteObjects = std::function<base::Task<base::Result<std::int64_t>>(
    std::shared_ptr<const definition::Resource> resource, std::string namespace_name,
    base::Executor& executor)>;

}  // namespace annex::source
