// LocalDefinitions: what the source of a cluster's definitions may do with those that Annex serves, and how
// objects from elsewhere become stored ones. The API implements both, so that its rules hold; source does not
// know the API.
#pragma once

#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/resource.h"
#include "annex/json/value.h"
#include "annex/store/store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::source {

class LocalDefinitions {
 public:
  virtual ~LocalDefinitions() = default;

  virtual base::Task<base::Result<std::vector<json::Value>>> List() = 0;
  // Creates the definition, or brings the one that is there to its spec, labels and annotations. kCheck: only
  // says whether that would work. Errors: Invalid, with the words for clients; Conflict (it is being
  // deleted).
  enum class Mode : std::uint8_t { kCheck, kApply };
  virtual base::Task<base::Result<void>> Apply(json::Value definition, Mode mode) = 0;
  // Begins the deletion; one that does not exist is no error. Errors: Invalid.
  virtual base::Task<base::Result<void>> Remove(std::string name) = 0;
};

// The form in which an object of the storage version is stored, all of its metadata kept but the
// resourceVersion. Errors: Invalid (it cannot be stored as it is).
using StoredForm = std::function<base::Result<store::Mutation::State>(
    std::shared_ptr<const definition::Resource> resource, json::Value object)>;

}  // namespace annex::source
