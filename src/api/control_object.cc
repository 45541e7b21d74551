#include "control_object.h"

#include "field_management.h"
#include "guaranteed_update.h"

#include <utility>

namespace annex::api {
namespace {

// Who keeps the status of definitions in a cluster.
constexpr const char* kManager = "kube-apiserver";

}  // namespace

base::Task<base::Result<void>> ControlObject(Parts& parts, StrategyPtr strategy, std::string name,
                                             std::function<bool(json::Value&)> change,
                                             base::Executor& executor) {
  Request request;
  request.executor = &executor;
  Context context{parts, std::move(request), {}, {}, {}, strategy};
  while (true) {
    store::Mutation mutation;
    mutation.collection = strategy->collection();
    mutation.key = name;
    ANNEX_CO_TRY(mutation.seen, parts.store.Load(mutation.collection, mutation.key));
    if (!mutation.seen) co_return base::Result<void>();
    ANNEX_CO_TRY(json::Value existing, ReadStored(*strategy, *mutation.seen));
    json::Value object = existing;
    if (!change(object)) co_return base::Result<void>();
    TrackUpdate(context, strategy->versions(), existing, object, WriterOf(context, kManager),
                Subresource::kStatus, true);
    const bool under_deletion = json::FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
    if (!under_deletion || strategy->HasPendingFinalizers(object)) {
      ANNEX_CO_TRY(mutation.next, strategy->ToStored(std::move(object)));
      if (mutation.next->body.bytes == mutation.seen->body.bytes) co_return base::Result<void>();
    }
    auto committed = co_await Commit(context, std::move(mutation));
    if (committed) co_return base::Result<void>();
    if (committed.error().reason != base::Reason::kConflict) co_return base::Error(committed.error());
  }
}

}  // namespace annex::api
