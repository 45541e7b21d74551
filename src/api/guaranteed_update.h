// GuaranteedUpdate: read an object, make its new state from it, and commit that if nobody was faster; else
// again (k8s.io/apiserver/pkg/registry/generic/registry/store.go, Update).
#pragma once

#include "annex/base/task.h"
#include "annex/ownership/field_manager.h"
#include "context.h"
#include "presenter.h"

#include <functional>
#include <optional>
#include <string>

namespace annex::api {

struct UpdatePlan {
  // The wished state, made from the present one (both in the request's version). Called again after a lost
  // race, and when a conversion was made that field ownership asked `versions` for.
  std::function<base::Result<json::Value>(const json::Value& existing, const ownership::Versions& versions)>
      make;
  // The UID that the present object must have; "" for any.
  std::string uid = {};
  bool dry_run = false;
  Subresource subresource = Subresource::kNone;
  // Becomes the owner of what `make` changed; nullopt: `make` has set metadata.managedFields itself.
  std::optional<ownership::FieldManager::Writer> writer = std::nullopt;
};

struct Updated {
  // What the client gets: the stored object, or (dry run, or deleted by the update) the object as JSON.
  store::ObjectPtr stored;
  std::optional<json::Value> object;
};

// Carries out an update of context's object. A write that changes nothing is none; one that removes the last
// finalizer of an object under deletion deletes it. Errors: NotFound, Conflict, Invalid, whatever `make`
// returns.
base::Task<base::Result<Updated>> GuaranteedUpdate(Context& context, UpdatePlan plan);

// Commits on the context's executor.
base::Await<base::Result<store::Committed>> Commit(Context& context, store::Mutation mutation);

// The answer with an updated object.
base::Task<VerbResult> UpdatedResponse(Context& context, const Presenter& presenter, Updated updated);

}  // namespace annex::api
