#include "group_move.h"

#include "annex/base/log.h"
#include "annex/source/adoption_names.h"

#include <utility>

namespace annex::source {
namespace {

using json::Value;

constexpr std::chrono::milliseconds kCompactionPoll{100};
// A list that is being sent holds history up.
constexpr std::chrono::seconds kCompactionPatience{60};
constexpr std::chrono::milliseconds kProbeInterval{20};
constexpr std::chrono::seconds kProbePatience{20};
// A write that was admitted just before the guard was in force may still be on its way to etcd.
constexpr std::chrono::milliseconds kInFlight{250};

}  // namespace

GroupMove::GroupMove(Parts parts, std::string group, DefinitionsByName definitions, Progress progress)
    : parts_(parts),
      group_(std::move(group)),
      definitions_(std::move(definitions)),
      progress_(std::move(progress)) {}

base::Task<base::Result<void>> GroupMove::Run() {
  // What an earlier try left must not refuse writes while everything is copied.
  ANNEX_CO_RETURN_IF_ERROR(co_await parts_.guard.Lower(group_));
  auto done = co_await Steps();
  for (const auto& copy : copies_) copy->StopFollowing();
  if (done) co_return base::Result<void>();
  const auto lowered = co_await parts_.guard.Lower(group_);
  if (!lowered) {
    base::LogError("Writes are still refused, as the guard could not be lowered; trying again",
                   {{"group", group_}, {"error", lowered.error().message}});
  }
  co_return done;
}

base::Task<base::Result<void>> GroupMove::Steps() {
  ANNEX_CO_RETURN_IF_ERROR(co_await Prepare());
  ANNEX_CO_RETURN_IF_ERROR(co_await AwaitRevisions());
  ANNEX_CO_RETURN_IF_ERROR(co_await CopyAll());
  ANNEX_CO_RETURN_IF_ERROR(co_await Freeze());
  co_return co_await Finish();
}

base::Task<base::Result<void>> GroupMove::Prepare() {
  for (const auto& [name, definition] : definitions_) {
    ResourcePublisher::Options options;
    options.names = definition::ReadNames(definition["spec"]["names"]);
    options.incarnation = json::TextAt(definition, {"metadata", "annotations", kAdoptedAnnotation});
    Value document = definition;
    ANNEX_CO_TRY(auto resource, co_await parts_.publisher.Prepare(std::move(document), std::move(options)));
    ObjectCopy::Parts parts{parts_.client, parts_.store,    parts_.stored_form,
                            parts_.clock,  parts_.executor, parts_.tasks};
    copies_.push_back(std::make_shared<ObjectCopy>(std::move(parts), std::move(resource)));
  }
  co_return base::Result<void>();
}

// The store was opened with them; what it has from before is forgotten within seconds.
base::Task<base::Result<void>> GroupMove::AwaitRevisions() {
  const auto compact = [&](std::function<void(base::Result<void>)> done) {
    parts_.store.Compact(std::move(done));
  };
  const auto begin = parts_.clock.Monotonic();
  while (true) {
    ANNEX_CO_RETURN_IF_ERROR(co_await base::Await<base::Result<void>>(parts_.executor, compact));
    if (parts_.store.CompactedRevision() >= kBeyondEtcd) co_return base::Result<void>();
    if (parts_.clock.Monotonic() - begin > kCompactionPatience)
      co_return base::Error(base::Reason::kTimeout, "a long list holds on to old revisions of the store");
    co_await base::Sleep(parts_.executor, kCompactionPoll);
  }
}

base::Task<base::Result<void>> GroupMove::CatchUpAll() {
  for (const auto& copy : copies_) ANNEX_CO_RETURN_IF_ERROR(co_await copy->CatchUp());
  co_return base::Result<void>();
}

base::Task<base::Result<void>> GroupMove::CopyAll() {
  std::int64_t total = 0;
  for (const auto& copy : copies_) {
    ANNEX_CO_TRY(const ObjectCopy::Head head, co_await copy->ReadHead());
    total += head.objects;
  }
  ProgressMeter meter(
      "copied", total, [this](std::string message) { return progress_("Copying", std::move(message)); },
      parts_.clock);
  co_await progress_("Copying", meter.Text());
  for (const auto& copy : copies_) ANNEX_CO_RETURN_IF_ERROR(co_await copy->Copy(meter));
  co_await progress_("Verifying", "the copies are being compared with the objects");
  for (const auto& copy : copies_) ANNEX_CO_RETURN_IF_ERROR(co_await copy->Verify());
  for (const auto& copy : copies_) copy->Follow();
  co_return co_await CatchUpAll();
}

base::Task<base::Result<void>> GroupMove::Freeze() {
  co_await progress_("Freezing", "writes are refused for a moment");
  const auto begin = parts_.clock.Monotonic();
  ANNEX_CO_RETURN_IF_ERROR(co_await parts_.guard.Raise(group_));
  while (true) {
    // While a probe is accepted, so are writes.
    frozen_since_ = parts_.clock.Monotonic();
    ANNEX_CO_TRY(const bool in_force, co_await parts_.guard.InForce(group_));
    if (in_force) break;
    if (parts_.clock.Monotonic() - begin > kProbePatience)
      co_return base::Error(base::Reason::kTimeout, "the cluster does not refuse writes");
    co_await base::Sleep(parts_.executor, kProbeInterval);
  }
  co_await base::Sleep(parts_.executor, kInFlight);
  co_return co_await CatchUpAll();
}

base::Task<base::Result<void>> GroupMove::Finish() {
  for (const auto& copy : copies_) {
    ANNEX_CO_RETURN_IF_ERROR(co_await copy->CompareCounts());
    ANNEX_CO_TRY(const std::int64_t objects, parts_.store.Count(copy->resource()->collection()));
    objects_ += objects;
    const auto set_format = [&](std::function<void(base::Result<void>)> done) {
      parts_.store.SetTermsFormat(copy->resource()->collection(), copy->resource()->format(),
                                  std::move(done));
    };
    ANNEX_CO_RETURN_IF_ERROR(co_await base::Await<base::Result<void>>(parts_.executor, set_format));
  }
  co_return base::Result<void>();
}

}  // namespace annex::source
