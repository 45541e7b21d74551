#include "watch_conversion.h"

#include "stored_form.h"

#include <algorithm>
#include <utility>

namespace annex::api {

base::Task<base::Result<void>> StateConversion::Load() {
  batch_ = co_await rows_.Next();
  ready_ = true;
  if (!batch_) co_return base::Error(batch_.error());
  co_return base::Result<void>();
}

void StateConversion::Start(base::TaskScope& tasks, std::function<void()> wake) {
  ready_ = false;
  tasks.Spawn(Run(shared_from_this(), std::move(wake)));
}

base::Task<void> StateConversion::Run(std::shared_ptr<StateConversion> self, std::function<void()> wake) {
  const auto loaded = co_await self->Load();
  wake();
}

base::Result<ConvertedRows::Batch> StateConversion::Take() {
  ready_ = false;
  return std::move(batch_);
}

void EventConversion::Start(std::vector<store::ObjectPtr> states, base::TaskScope& tasks,
                            std::function<void()> wake) {
  std::erase_if(states,
                [this](const store::ObjectPtr& state) { return !NeedsWebhook(*strategy_, state->format); });
  ready_ = states.empty();
  if (!ready_) tasks.Spawn(Run(shared_from_this(), std::move(states), std::move(wake)));
}

base::Task<void> EventConversion::Run(std::shared_ptr<EventConversion> self,
                                      std::vector<store::ObjectPtr> states, std::function<void()> wake) {
  // A state that two events have is asked for once.
  const auto by_revision = [](const auto& a, const auto& b) { return a->revision < b->revision; };
  const auto same = [](const auto& a, const auto& b) { return a->revision == b->revision; };
  std::sort(states.begin(), states.end(), by_revision);
  states.erase(std::unique(states.begin(), states.end(), same), states.end());
  const auto shown = co_await self->conversions_.Convert(self->strategy_, states, self->executor_);
  if (shown) {
    for (std::size_t i = 0; i < states.size(); ++i) self->shown_[states[i]->revision] = (*shown)[i];
  } else {
    self->result_ = base::Error(shown.error());
  }
  self->ready_ = true;
  wake();
}

const json::Value* EventConversion::Find(const store::Object& state) const {
  const auto found = shown_.find(state.revision);
  return found == shown_.end() ? nullptr : found->second.get();
}

}  // namespace annex::api
