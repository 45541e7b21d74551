#include "stored_form.h"

#include "annex/json/read.h"
#include "status_text.h"

#include <utility>

namespace annex::api {

using json::Value;

base::Task<base::Result<std::vector<Value>>> ReadObjects(const Strategy& strategy,
                                                         std::vector<store::ObjectPtr> stored,
                                                         base::Executor& executor) {
  std::vector<Value> objects;
  objects.reserve(stored.size());
  for (const store::ObjectPtr& each : stored) {
    ANNEX_CO_TRY(Value object, ReadStored(strategy, *each));
    objects.push_back(std::move(object));
  }
  if (!strategy.HasWebhook()) co_return objects;
  co_return co_await strategy.ConvertFromStored(std::move(objects), executor);
}

base::Task<base::Result<Value>> ReadObject(const Strategy& strategy, store::ObjectPtr stored,
                                           base::Executor& executor) {
  if (!NeedsWebhook(strategy, stored->format)) co_return ReadStored(strategy, *stored);
  std::vector<store::ObjectPtr> one = {std::move(stored)};
  ANNEX_CO_TRY(std::vector<Value> objects, co_await ReadObjects(strategy, std::move(one), executor));
  co_return std::move(objects.front());
}

base::Task<base::Result<store::Mutation::State>> MakeStored(const Strategy& strategy, Value object,
                                                            base::Executor& executor) {
  if (strategy.HasWebhook()) {
    ANNEX_CO_TRY(object, co_await strategy.ConvertToStorage(std::move(object), executor));
  }
  co_return strategy.ToStored(std::move(object));
}

base::Task<base::Result<store::Mutation::State>> MakeBounded(const Strategy& strategy, Value object,
                                                             Owners owners, base::Executor& executor) {
  ANNEX_CO_TRY(store::Mutation::State state, co_await MakeStored(strategy, std::move(object), executor));
  if (state.body.bytes.size() > kMaxStoredBytes && owners == Owners::kDroppedIfTooLarge) {
    ANNEX_CO_TRY(Value stored, json::Parse(state.body.bytes));
    stored["metadata"].erase("managedFields");
    state.body = ToBody(stored, strategy.go_struct());
  }
  // Clients look for the words of etcd.
  if (state.body.bytes.size() > kMaxStoredBytes)
    co_return base::Error(Unspecified("etcdserver: request is too large"));
  co_return state;
}

base::Task<base::Result<Value>> StoreAndReadBack(const Strategy& strategy, Value object,
                                                 base::Executor& executor) {
  if (!strategy.StoresOtherVersion()) co_return object;
  Value revision;
  if (const Value* known = json::FindPath(object, {"metadata", "resourceVersion"})) revision = *known;
  auto stored = std::make_shared<store::Object>();
  ANNEX_CO_TRY(store::Mutation::State state, co_await MakeStored(strategy, std::move(object), executor));
  stored->body = std::move(state.body);
  stored->format = state.format;
  ANNEX_CO_TRY(Value shown, co_await ReadObject(strategy, std::move(stored), executor));
  if (revision.is_null()) {
    shown["metadata"].erase("resourceVersion");
  } else {
    shown["metadata"]["resourceVersion"] = std::move(revision);
  }
  co_return shown;
}

base::Task<VerbResult> ObjectResponse(Context& context, const Presenter& presenter, int code,
                                      store::ObjectPtr stored) {
  const Strategy& strategy = presenter.strategy();
  if (!NeedsWebhook(strategy, stored->format)) {
    ANNEX_CO_TRY(std::string body, presenter.Document(RowOf(*stored)));
    co_return BodyResponse(code, presenter.format().ContentType(), std::move(body));
  }
  ANNEX_CO_TRY(const Value object, co_await ReadObject(strategy, std::move(stored), context.executor()));
  ANNEX_CO_TRY(std::string body, presenter.Document(object));
  co_return BodyResponse(code, presenter.format().ContentType(), std::move(body));
}

}  // namespace annex::api
