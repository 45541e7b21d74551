#include "group_release.h"

#include "annex/base/log.h"

#include <utility>

namespace annex::source {
namespace {

using json::Value;

// So few changes are brought over in a fraction of a second.
constexpr std::size_t kNearly = 100;
constexpr int kCatchUpRounds = 100;
// Owners may come after those that belong to them.
constexpr int kFrozenRounds = 5;

}  // namespace

GroupRelease::GroupRelease(Parts parts, DefinitionsByName definitions, ProgressMeter::Tell tell,
                           std::function<base::Task<base::Result<void>>()> before_freeze)
    : parts_(std::move(parts)),
      definitions_(std::move(definitions)),
      tell_(std::move(tell)),
      before_freeze_(std::move(before_freeze)) {}

base::Task<base::Result<void>> GroupRelease::Run() {
  ANNEX_CO_RETURN_IF_ERROR(co_await Open());
  ANNEX_CO_RETURN_IF_ERROR(co_await CopyAll());
  ANNEX_CO_RETURN_IF_ERROR(co_await CatchUpNearly());
  ANNEX_CO_RETURN_IF_ERROR(co_await before_freeze_());
  const auto done = co_await FreezeAndFinish();
  if (done) co_return base::Result<void>();
  if (const auto thawed = co_await SetAccess(store::Store::Access::kReadWrite); !thawed) {
    base::LogError("Writes are still refused", {{"error", thawed.error().message}});
  }
  co_return done;
}

base::Task<base::Result<void>> GroupRelease::Open() {
  for (const auto& [name, definition] : definitions_) {
    Value document = definition;
    ANNEX_CO_RETURN_IF_ERROR(co_await parts_.version.Open(std::move(document)));
    const auto resource = parts_.publisher.Find(name);
    if (!resource) co_return base::Error(base::Reason::kInternalError, name + " is not served");
    ObjectReturn::Parts parts{parts_.call, parts_.store, owners_, parts_.executor, parts_.tasks};
    objects_.push_back(std::make_unique<ObjectReturn>(std::move(parts), resource, definition));
  }
  co_return base::Result<void>();
}

base::Task<base::Result<void>> GroupRelease::CopyAll() {
  std::int64_t total = 0;
  for (const auto& objects : objects_) {
    ANNEX_CO_TRY(const std::int64_t count, parts_.store.Count(objects->resource()->collection()));
    total += count;
  }
  ProgressMeter meter("copied", total, tell_, parts_.clock);
  co_await tell_(meter.Text());
  for (const auto& objects : objects_) ANNEX_CO_RETURN_IF_ERROR(co_await objects->Copy(meter));
  co_await tell_("the copies in etcd are being compared with the objects");
  for (const auto& objects : objects_) ANNEX_CO_RETURN_IF_ERROR(co_await objects->Verify());
  co_return base::Result<void>();
}

base::Task<base::Result<std::size_t>> GroupRelease::CatchUpOnce() {
  std::size_t changed = 0;
  for (const auto& objects : objects_) {
    ANNEX_CO_TRY(const std::size_t count, co_await objects->CatchUp());
    changed += count;
  }
  co_return changed;
}

base::Task<base::Result<void>> GroupRelease::CatchUpNearly() {
  for (int round = 0; round < kCatchUpRounds; ++round) {
    ANNEX_CO_TRY(const std::size_t changed, co_await CatchUpOnce());
    if (changed <= kNearly) co_return base::Result<void>();
  }
  co_return base::Error(base::Reason::kTimeout, "objects change faster than etcd takes them");
}

base::Task<base::Result<void>> GroupRelease::FreezeAndFinish() {
  co_await tell_("writes are refused for a moment");
  ANNEX_CO_RETURN_IF_ERROR(co_await CatchUpOnce());
  frozen_since_ = parts_.clock.Monotonic();
  ANNEX_CO_RETURN_IF_ERROR(co_await SetAccess(store::Store::Access::kReadOnly));
  std::size_t changed = 1;
  for (int round = 0; round < kFrozenRounds && changed > 0; ++round) {
    ANNEX_CO_TRY(changed, co_await CatchUpOnce());
  }
  if (changed > 0) co_return base::Error(base::Reason::kInternalError, "the owners of objects go in circles");
  for (const auto& objects : objects_) ANNEX_CO_RETURN_IF_ERROR(co_await objects->CompareCounts());
  co_return base::Result<void>();
}

base::Task<base::Result<void>> GroupRelease::SetAccess(store::Store::Access access) {
  for (const auto& objects : objects_) {
    const auto start = [&](std::function<void(base::Result<void>)> done) {
      parts_.store.SetAccess(objects->resource()->collection(), access, std::move(done));
    };
    ANNEX_CO_RETURN_IF_ERROR(co_await base::Await<base::Result<void>>(parts_.executor, start));
  }
  co_return base::Result<void>();
}

base::Task<base::Result<void>> GroupRelease::LearnUids() {
  ANNEX_CO_RETURN_IF_ERROR(co_await Open());
  for (const auto& objects : objects_) ANNEX_CO_RETURN_IF_ERROR(co_await objects->LearnUids());
  co_return base::Result<void>();
}

ObjectReturn::Numbers GroupRelease::numbers() const {
  ObjectReturn::Numbers sum;
  for (const auto& objects : objects_) {
    const ObjectReturn::Numbers one = objects->numbers();
    sum.objects += one.objects;
    sum.kept_uid += one.kept_uid;
  }
  return sum;
}

}  // namespace annex::source
