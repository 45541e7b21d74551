// Between the form in which objects are stored and that of a request, where a webhook may have to be asked:
// then these wait. For all other resources they come back at once.
//
// Thread rule: used on the executor that is given. Lifetime: the strategy must outlive the task.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "context.h"
#include "presenter.h"
#include "strategy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace annex::api {

// As much as the body of a request may have.
inline constexpr std::size_t kMaxStoredBytes = 3UL << 20U;

// Whether a webhook may have to be asked to read what is stored under `format`.
inline bool NeedsWebhook(const Strategy& strategy, std::uint64_t format) {
  return strategy.HasWebhook() && !strategy.ServesAsStored(format);
}

// A stored object in the strategy's version, with its resourceVersion.
base::Task<base::Result<json::Value>> ReadObject(const Strategy& strategy, store::ObjectPtr stored,
                                                 base::Executor& executor);

// The same for many, with one call of the webhook at most.
base::Task<base::Result<std::vector<json::Value>>> ReadObjects(const Strategy& strategy,
                                                               std::vector<store::ObjectPtr> stored,
                                                               base::Executor& executor);

// An object of the strategy's version as it is to be stored.
base::Task<base::Result<store::Mutation::State>> MakeStored(const Strategy& strategy, json::Value object,
                                                            base::Executor& executor);

// What becomes of metadata.managedFields where an object is too large with them.
enum class Owners : std::uint8_t { kKept, kDroppedIfTooLarge };

// MakeStored for a write, within the limit of what is stored: patches and owners of fields let an object grow
// beyond what a body may have. As in kube-apiserver, a write that is no apply rather loses the owners than
// fails. Errors: also without a reason, for an object that is too large.
base::Task<base::Result<store::Mutation::State>> MakeBounded(const Strategy& strategy, json::Value object,
                                                             Owners owners, base::Executor& executor);

// What would be read back if the object were stored: what a dry run answers.
base::Task<base::Result<json::Value>> StoreAndReadBack(const Strategy& strategy, json::Value object,
                                                       base::Executor& executor);

// The answer with a stored object.
base::Task<VerbResult> ObjectResponse(Context& context, const Presenter& presenter, int code,
                                      store::ObjectPtr stored);

}  // namespace annex::api
