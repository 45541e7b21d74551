#include "shared_conversions.h"

#include "stored_form.h"

namespace annex::api {
namespace {

constexpr std::size_t kMaxBytes = 8UL << 20U;

}  // namespace

SharedConversions::Division SharedConversions::Divide(std::uint64_t form,
                                                      const std::vector<store::ObjectPtr>& states,
                                                      std::vector<Shown>& shown) {
  Division division;
  const base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto [entry, added] = entries_.try_emplace(Key{form, states[i]->revision});
    if (added) {
      division.mine.push_back(i);
    } else if (entry->second.shown) {
      shown[i] = entry->second.shown;
    } else {
      division.others.push_back(i);
    }
  }
  return division;
}

void SharedConversions::Finish(const Key& key, std::size_t bytes, const base::Result<Shown>& result) {
  std::vector<Waiter> waiters;
  {
    const base::MutexLock lock(mutex_);
    const auto entry = entries_.find(key);
    waiters.swap(entry->second.waiters);
    if (result) {
      entry->second.shown = *result;
      entry->second.bytes = bytes;
      bytes_ += bytes;
      finished_.push_back(key);
      DropOldest();
    } else {
      entries_.erase(entry);
    }
  }
  for (const Waiter& waiter : waiters) waiter(result);
}

void SharedConversions::DropOldest() {
  while (bytes_ > kMaxBytes) {
    const auto oldest = entries_.find(finished_.front());
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    finished_.pop_front();
  }
}

void SharedConversions::Wait(const Key& key, Waiter waiter) {
  Shown shown;
  {
    const base::MutexLock lock(mutex_);
    const auto entry = entries_.find(key);
    if (entry != entries_.end() && !entry->second.shown) {
      entry->second.waiters.push_back(std::move(waiter));
      return;
    }
    if (entry != entries_.end()) shown = entry->second.shown;
  }
  waiter(shown);
}

base::Task<base::Result<std::vector<SharedConversions::Shown>>> SharedConversions::Convert(
    StrategyPtr strategy, std::vector<store::ObjectPtr> states, base::Executor& executor) {
  const std::uint64_t form = strategy->conversion_form();
  std::vector<Shown> shown(states.size());
  const Division division = Divide(form, states, shown);
  std::vector<store::ObjectPtr> asked;
  asked.reserve(division.mine.size());
  for (const std::size_t i : division.mine) asked.push_back(states[i]);
  auto objects = co_await ReadObjects(*strategy, asked, executor);
  for (std::size_t k = 0; k < division.mine.size(); ++k) {
    const std::size_t i = division.mine[k];
    if (objects) shown[i] = std::make_shared<const json::Value>(std::move((*objects)[k]));
    const base::Result<Shown> result =
        objects ? base::Result<Shown>(shown[i]) : base::Result<Shown>(base::Error(objects.error()));
    Finish({form, states[i]->revision}, states[i]->body.bytes.size(), result);
  }
  if (!objects) co_return base::Error(objects.error());
  for (const std::size_t i : division.others) {
    const Key key{form, states[i]->revision};
    const auto wait = [this, key](Waiter done) { Wait(key, std::move(done)); };
    ANNEX_CO_TRY(shown[i], co_await base::Await<base::Result<Shown>>(executor, wait));
    if (shown[i]) continue;
    // It was converted and forgotten again meanwhile.
    ANNEX_CO_TRY(json::Value object, co_await ReadObject(*strategy, states[i], executor));
    shown[i] = std::make_shared<const json::Value>(std::move(object));
  }
  co_return shown;
}

}  // namespace annex::api
