// GET …?watch: a stream of changes. It begins with the present state (as a list does, piece by piece) if the
// client asks for it, and goes on with what the watch hub gives, from the revision that the client knows or
// the state showed.
//
//   phase    what Read gives                                        then
//   kState   ADDED for each object, all as of one revision          a bookmark that ends the state; kLive
//   kLive    events after the cursor, as they match the selection   waits for the hub's wake
//   kEnded   nothing                                                the stream's end
//
// A watch ends cleanly at its timeout, when its definition changes, and when the server stops; with an ERROR
// event when its revision is too old, or its objects are leaving.

#include "custom_resource_strategy.h"
#include "list_query.h"
#include "presenter.h"
#include "status_body.h"
#include "verbs.h"
#include "watch_conversion.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace annex::api {
namespace {

// Longer than any connection lasts, and short enough to be counted in nanoseconds.
constexpr std::chrono::seconds kMaxTimeout = std::chrono::hours(24 * 365);

// kube-apiserver ends a watch without timeoutSeconds after 30 to 60 minutes, so that clients do not all come
// back at once.
constexpr std::chrono::seconds kMinTimeout{1800};
// How often an idle watch says how far it is, if its client wants to know; and how long before its end it
// does so.
constexpr std::chrono::seconds kBookmarkInterval{60};
constexpr std::chrono::seconds kBookmarkBeforeEnd{2};
constexpr int kBatchesPerRead = 8;

enum class EventType : std::uint8_t { kAdded = 1, kModified, kDeleted, kBookmark, kError };

const char* EventTypeText(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    case EventType::kDeleted:
      return "DELETED";
    case EventType::kBookmark:
      return "BOOKMARK";
    case EventType::kError:
      return "ERROR";
  }
  return "";
}

std::string EventLine(EventType type, std::string_view object) {
  std::string line = "{\"type\":\"";
  line.append(EventTypeText(type)).append("\",\"object\":").append(object).append("}\n");
  return line;
}

struct WatchPlan {
  bool send_state = false;  // begin with the present state
  bool bookmark_after_state = false;
  bool bookmarks = false;
  store::Revision after = 0;  // without state: changes after this revision
  std::chrono::seconds timeout{0};
  std::optional<base::Status> failure;  // all that the watch shows, as its answer has begun already
};

// What wakes the transport. Shared with the hub and with conversions, which may call it after the watch is
// gone.
struct WakeSlot {
  std::function<void()> wake;
  bool changes = true;  // the watcher may have more than it gave

  void Wake() const {
    if (wake) wake();
  }
  void WakeForChanges() {
    changes = true;
    Wake();
  }
};

class WatchSource final : public BodySource {
 public:
  // `state` gives the present state, if a webhook may have to convert it; its first batch is ready.
  WatchSource(Context& context, Presenter presenter, Selection selection, WatchPlan plan,
              std::shared_ptr<StateConversion> state)
      : parts_(context.parts),
        executor_(context.executor()),
        tasks_(context.request.tasks),
        strategy_(context.strategy),
        custom_(dynamic_cast<const CustomResourceStrategy*>(strategy_.get())),
        presenter_(std::move(presenter)),
        selection_(std::move(selection)),
        plan_(std::move(plan)),
        wake_(std::make_shared<WakeSlot>()),
        state_(std::move(state)) {
    if (!plan_.send_state) StartLive(plan_.after);
    end_timer_ = executor_.After(plan_.timeout, [this] { End(); });
    ScheduleBookmark();
  }

  void SetWake(std::function<void()> wake) override { wake_->wake = std::move(wake); }
  void Stop() override { End(); }

  State Read(std::size_t max_bytes, std::string& out) override {
    const std::size_t begin = out.size();
    if (plan_.failure && phase_ != Phase::kEnded) EndWithError(*plan_.failure, out);
    if (phase_ == Phase::kState) ReadState(max_bytes, out);
    if (phase_ == Phase::kLive && out.size() - begin < max_bytes) ReadLive(out);
    // Nothing can be shown as a list: as kube-apiserver, the watch ends at what it would show first.
    if (presenter_.format().form == Form::kPartialObjectMetadataList && out.size() > begin) {
      out.resize(begin);
      phase_ = Phase::kEnded;
    }
    if (phase_ == Phase::kEnded) return out.size() == begin ? State::kEnd : State::kMore;
    return Waits() ? State::kWaiting : State::kMore;
  }

 private:
  enum class Phase : std::uint8_t { kState, kLive, kEnded };

  // Whether there is nothing to read until `wake_` is called.
  bool Waits() const {
    if (phase_ == Phase::kState) return state_ && !state_->ready();
    return batch_ ? conversion_ && !conversion_->ready() : !wake_->changes;
  }

  void End() {
    ending_ = true;
    wake_->Wake();
  }

  void StartLive(store::Revision after) {
    phase_ = Phase::kLive;
    progress_ = after;
    known_ = after;
    watcher_ = parts_.hub.Watch(presenter_.strategy().collection(), selection_.prefix, after, executor_,
                                [slot = wake_] { slot->WakeForChanges(); });
  }

  // --- the present state

  void ReadState(std::size_t max_bytes, std::string& out) {
    if (ending_) {
      phase_ = Phase::kEnded;
      return;
    }
    if (state_) {
      ReadConvertedState(out);
      return;
    }
    store::ListQuery query;
    query.collection = presenter_.strategy().collection();
    query.prefix = selection_.prefix;
    query.start = last_key_;
    query.at = state_revision_;
    query.query = selection_.query.Empty() ? nullptr : &selection_.query;
    query.terms_format = presenter_.strategy().terms_format();
    const std::size_t until = out.size() + max_bytes;
    base::Result<void> outcome;
    const auto page = parts_.store.List(query, [&](const store::Row& row) {
      if (out.size() >= until) return store::Visit::kStop;
      outcome = ShowState(row, out);
      if (!outcome) return store::Visit::kStop;
      last_key_.assign(row.key).push_back('\0');
      return store::Visit::kNext;
    });
    if (!page || !outcome) {
      EndWithError(page ? outcome.error() : page.error(), out);
      return;
    }
    state_revision_ = page->at;
    if (page->more) {
      if (!pin_) pin_ = parts_.store.Pin(state_revision_);
      return;
    }
    EndState(out);
    pin_.reset();
  }

  void EndState(std::string& out) {
    if (plan_.bookmark_after_state) out += BookmarkLine(state_revision_, true);
    StartLive(state_revision_);
  }

  // The batch that is ready, if there is one; then the next is asked for.
  void ReadConvertedState(std::string& out) {
    if (!state_->ready()) return;
    const auto batch = state_->Take();
    if (!batch) {
      EndWithError(batch.error(), out);
      return;
    }
    for (const ConvertedRows::Item& item : batch->items) {
      out += EventLine(EventType::kAdded,
                       presenter_.EventObject(item.object, std::exchange(columns_due_, false)));
    }
    state_revision_ = batch->at;
    if (batch->last) {
      state_.reset();
      EndState(out);
    } else {
      state_->Start(*tasks_, [slot = wake_] { slot->Wake(); });
    }
  }

  base::Result<void> ShowState(const store::Row& row, std::string& out) {
    if (!row.judged) {
      ANNEX_TRY(const bool matches, selection_.Judge(presenter_.strategy(), row));
      if (!matches) return {};
    }
    ANNEX_TRY(const std::string object, EventObject(row));
    out += EventLine(EventType::kAdded, object);
    return {};
  }

  // --- changes

  void ReadLive(std::string& out) {
    const Definition definition = CheckDefinition();
    if (ending_ || definition == Definition::kChanged) {
      phase_ = Phase::kEnded;
      return;
    }
    // Whoever went on from here would wait for a revision that the objects' new place may never reach.
    if (definition == Definition::kLeaving) {
      EndWithError({base::Reason::kExpired, ""}, out);
      return;
    }
    // Batches that hold nothing for this watcher are passed over, but not without end in one turn.
    const std::size_t begin = out.size();
    for (int turn = 0; turn < kBatchesPerRead; ++turn) {
      if (!batch_ && (!wake_->changes || !NextBatch(out))) return;
      if (conversion_ && !conversion_->ready()) return;
      if (!ShowBatch(out)) return;
      const store::WatchHub::Watcher::Batch batch = *std::exchange(batch_, std::nullopt);
      progress_ = batch.progress;
      // A bookmark that says no more than the client knows is not sent.
      if (std::exchange(bookmark_due_, false) && progress_ > known_) out += BookmarkLine(progress_, false);
      // The objects of a definition that is gone were deleted before it: that is shown first.
      if (batch.ended || (batch.idle && definition == Definition::kGone)) phase_ = Phase::kEnded;
      if (batch.ended || out.size() > begin) return;
    }
  }

  // Takes the next events, and asks for the conversion of what needs it. False if that ended the watch.
  bool NextBatch(std::string& out) {
    auto batch = watcher_->Next();
    if (!batch) {
      EndWithError(batch.error(), out);
      return false;
    }
    batch_ = *std::move(batch);
    wake_->changes = !batch_->idle;
    if (!strategy_->HasWebhook()) return true;
    conversion_ = std::make_shared<EventConversion>(parts_.conversions, strategy_, executor_);
    conversion_->Start(StatesToShow(), *tasks_, [slot = wake_] { slot->Wake(); });
    return true;
  }

  // The states that the batch's events are judged by and shown with.
  std::vector<store::ObjectPtr> StatesToShow() const {
    std::vector<store::ObjectPtr> states;
    for (const store::EventPtr& event : batch_->events) {
      if (!selector::KeysMatch(selection_.query.keys, event->key())) continue;
      if (event->object()) states.push_back(event->object());
      const bool counts = !event->object() || !selection_.KeysAlone();
      if (event->previous() && counts) states.push_back(event->previous());
    }
    return states;
  }

  // False if that ended the watch.
  bool ShowBatch(std::string& out) {
    // As kube-apiserver: the watch just ends, and whoever comes again learns why.
    if (conversion_ && !conversion_->result()) {
      phase_ = Phase::kEnded;
      return false;
    }
    const auto shown = ShowEvents(batch_->events, out);
    conversion_.reset();
    if (!shown) EndWithError(shown.error(), out);
    return shown.has_value();
  }

  base::Result<void> ShowEvents(const std::vector<store::EventPtr>& events, std::string& out) {
    for (const store::EventPtr& event : events) ANNEX_RETURN_IF_ERROR(ShowEvent(*event, out));
    return {};
  }

  // An object that begins to match is ADDED to the watcher's world, one that ceases to is DELETED from it.
  base::Result<void> ShowEvent(const store::Event& event, std::string& out) {
    bool matches = event.object() != nullptr;
    bool matched = event.previous() != nullptr;
    if (!selection_.query.Empty() || !selection_.fields.empty()) {
      if (matches) {
        ANNEX_TRY(matches, Matches(*event.object()));
      }
      if (matched) {
        ANNEX_TRY(matched, Matches(*event.previous()));
      }
    }
    if (matches)
      return AppendEvent(event, matched ? EventType::kModified : EventType::kAdded, *event.object(), out);
    if (matched) return AppendEvent(event, EventType::kDeleted, *event.previous(), out);
    return {};
  }

  // The object as the webhook made it; nullptr if it is shown as it is stored.
  const json::Value* Converted(const store::Object& object) const {
    return conversion_ ? conversion_->Find(object) : nullptr;
  }

  base::Result<bool> Matches(const store::Object& object) const {
    const json::Value* converted = Converted(object);
    if (converted == nullptr) return selection_.Matches(*strategy_, object);
    return selector::KeysMatch(selection_.query.keys, object.key) &&
           selection_.Matches(*strategy_, *converted);
  }

  // Serialized once for all watchers of this version in this form.
  void AppendConverted(const store::Event& event, EventType type, const json::Value& object,
                       std::string& out) {
    const auto line = [&] {
      json::Value shown = object;
      shown["metadata"]["resourceVersion"] = std::to_string(event.revision());
      return EventLine(type, presenter_.EventObject(shown, std::exchange(columns_due_, false)));
    };
    const std::uint64_t form = (strategy_->conversion_form() << 8U) | static_cast<std::uint64_t>(type);
    out += presenter_.format().form == Form::kObject ? *event.Rendering(form, line) : line();
  }

  base::Result<void> AppendEvent(const store::Event& event, EventType type, const store::Object& object,
                                 std::string& out) {
    if (const json::Value* converted = Converted(object)) {
      AppendConverted(event, type, *converted, out);
      return {};
    }
    store::Row row = RowOf(object);
    row.revision = event.revision();  // a deletion shows the last state with the deletion's revision
    if (!presenter_.EventsAreShared(object.format)) {
      ANNEX_TRY(const std::string shown, EventObject(row));
      out += EventLine(type, shown);
      return {};
    }
    // Serialized once for all watchers. A raw row cannot fail to be presented.
    out += *event.Rendering(static_cast<std::uint64_t>(type),
                            [&] { return EventLine(type, presenter_.EventObject(row, false).value()); });
    return {};
  }

  base::Result<std::string> EventObject(const store::Row& row) {
    return presenter_.EventObject(row, std::exchange(columns_due_, false));
  }

  std::string BookmarkLine(store::Revision revision, bool ends_state) {
    json::Value object = {{"apiVersion", presenter_.strategy().ApiVersion()},
                          {"kind", presenter_.strategy().kind()}};
    object["metadata"]["resourceVersion"] = std::to_string(revision);
    if (ends_state) object["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true";
    return EventLine(EventType::kBookmark,
                     presenter_.EventObject(object, std::exchange(columns_due_, false)));
  }

  void EndWithError(const base::Status& status, std::string& out) {
    base::Status shown = status;
    if (status.reason == base::Reason::kUnknown) {
      shown = StorageNotReady(strategy_->ApiVersion(), strategy_->kind(), status.message);
    }
    if (status.reason == base::Reason::kExpired) {
      shown.message = "too old resource version: " + std::to_string(progress_) + " (" +
                      std::to_string(parts_.store.CompactedRevision()) + ")";
    }
    out += EventLine(EventType::kError, StatusJson(shown));
    phase_ = Phase::kEnded;
  }

  // --- the end

  enum class Definition : std::uint8_t { kSame, kChanged, kLeaving, kGone };

  // What became of the definition since the watch began.
  Definition CheckDefinition() {
    if (custom_ == nullptr) return Definition::kSame;
    const auto snapshot = parts_.registry.Current();
    if (snapshot->generation() == checked_generation_) return definition_;
    checked_generation_ = snapshot->generation();
    const auto* served = snapshot->Find(custom_->group(), custom_->version(), custom_->plural());
    definition_ = Definition::kSame;
    if (served == nullptr) {
      definition_ = Definition::kGone;
    } else if (served->resource->serving() != custom_->shared_definition()->serving()) {
      definition_ = Definition::kChanged;
    } else if (served->resource->leaving()) {
      definition_ = Definition::kLeaving;
    }
    return definition_;
  }

  void ScheduleBookmark() {
    if (!plan_.bookmarks) return;
    const auto elapsed = parts_.clock.Monotonic() - begun_;
    const auto last = plan_.timeout - kBookmarkBeforeEnd;
    auto next = std::chrono::nanoseconds(kBookmarkInterval);
    if (elapsed < last) next = std::min<std::chrono::nanoseconds>(next, last - elapsed);
    bookmark_timer_ = executor_.After(next, [this] {
      bookmark_due_ = true;
      wake_->WakeForChanges();  // it tells how far it is
      ScheduleBookmark();
    });
  }

  Parts& parts_;
  base::Executor& executor_;
  base::TaskScope* const tasks_;
  const StrategyPtr strategy_;
  const CustomResourceStrategy* const custom_;  // nullptr if the type is a built-in one
  const Presenter presenter_;
  const Selection selection_;
  const WatchPlan plan_;
  const std::chrono::steady_clock::time_point begun_ = parts_.clock.Monotonic();
  const std::shared_ptr<WakeSlot> wake_;

  Phase phase_ = Phase::kState;
  bool ending_ = false;
  bool bookmark_due_ = false;
  bool columns_due_ = true;
  std::uint64_t checked_generation_ = 0;
  Definition definition_ = Definition::kSame;
  store::Revision state_revision_ = 0;
  std::string last_key_;
  std::shared_ptr<void> pin_;
  store::Revision progress_ = 0;
  std::shared_ptr<StateConversion> state_;
  store::Revision known_ = 0;  // to the client when the changes began
  std::unique_ptr<store::WatchHub::Watcher> watcher_;
  std::optional<store::WatchHub::Watcher::Batch> batch_;  // taken, but not shown yet
  std::shared_ptr<EventConversion> conversion_;           // of the batch
  std::unique_ptr<base::Executor::Timer> end_timer_;
  std::unique_ptr<base::Executor::Timer> bookmark_timer_;
};

base::Result<WatchPlan> PlanWatch(const Context& context, const ListOptions& options) {
  WatchPlan plan;
  ANNEX_TRY(plan.after, ParseResourceVersion(options.resource_version, VersionPlace::kOther));
  // Without a revision, or with 0, a watch has always begun with the present state.
  const bool legacy = plan.after == 0 && !options.send_initial_events;
  plan.send_state = legacy || options.send_initial_events.value_or(false);
  plan.bookmarks = options.allow_bookmarks;
  plan.bookmark_after_state = plan.send_state && plan.bookmarks;
  if (plan.after == 0) plan.after = context.parts.store.CurrentRevision();
  if (plan.send_state && plan.after > context.parts.store.CurrentRevision()) {
    plan.failure = ResourceVersionTooLarge(options.resource_version, context.parts.store.CurrentRevision());
  }
  // A negative timeout has passed already.
  plan.timeout = std::chrono::seconds(
      std::clamp<std::int64_t>(options.timeout_seconds.value_or(0), -1, kMaxTimeout.count()));
  if (plan.timeout.count() == 0) {
    plan.timeout = kMinTimeout + std::chrono::seconds(context.parts.random.Below(kMinTimeout.count()));
  }
  return plan;
}

}  // namespace

base::Task<VerbResult> Watch(Context& context) {
  ANNEX_CO_TRY(const ListOptions options, ReadListOptions(context.query, true));
  ANNEX_CO_TRY(const OutputFormat format, NegotiateWatch(context.request.headers, context.query));
  ANNEX_CO_TRY(Selection selection, Select(context, options));
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  ANNEX_CO_TRY(WatchPlan plan, PlanWatch(context, options));
  const Strategy& strategy = *context.strategy;
  if (strategy.Leaving()) plan.failure = base::Status{base::Reason::kExpired, ""};
  std::shared_ptr<StateConversion> state;
  if (plan.send_state && strategy.ListsThroughWebhook()) {
    state = std::make_shared<StateConversion>(context.parts, context.strategy, selection, context.executor());
    if (const auto loaded = co_await state->Load(); !loaded) {
      co_return base::Error(
          loaded.error().reason == base::Reason::kUnknown
              ? StorageNotReady(strategy.ApiVersion(), strategy.kind(), loaded.error().message)
              : loaded.error());
    }
  }
  Presenter presenter(context.strategy, format, include, context.parts.clock);
  Response response = BodyResponse(200, "application/json", "");
  response.stream = std::make_unique<WatchSource>(context, std::move(presenter), std::move(selection),
                                                  std::move(plan), std::move(state));
  co_return response;
}

}  // namespace annex::api
