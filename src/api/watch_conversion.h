// What a watch waits for when a webhook has to convert what it shows: its source is read by the transport and
// cannot wait itself. Each run goes on when its watch is gone, and then ends unheard.
//
// Thread rule: used on the watch's executor.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "converted_rows.h"
#include "shared_conversions.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace annex::api {

// The present state, batch by batch.
class StateConversion : public std::enable_shared_from_this<StateConversion> {
 public:
  StateConversion(Parts& parts, StrategyPtr strategy, Selection selection, base::Executor& executor)
      : strategy_(std::move(strategy)),
        selection_(std::move(selection)),
        rows_(parts, *strategy_, selection_, {}, executor) {}

  // Gets the next batch, here and now.
  base::Task<base::Result<void>> Load();
  // Gets the next batch as a task of `tasks`; `wake` is called when it is there. REQUIRES: shared.
  void Start(base::TaskScope& tasks, std::function<void()> wake);

  bool ready() const { return ready_; }
  // What was got. REQUIRES: ready().
  base::Result<ConvertedRows::Batch> Take();

 private:
  static base::Task<void> Run(std::shared_ptr<StateConversion> self, std::function<void()> wake);

  const StrategyPtr strategy_;
  const Selection selection_;
  ConvertedRows rows_;
  bool ready_ = false;
  base::Result<ConvertedRows::Batch> batch_;
};

// The states of a batch of events.
class EventConversion : public std::enable_shared_from_this<EventConversion> {
 public:
  EventConversion(SharedConversions& conversions, StrategyPtr strategy, base::Executor& executor)
      : conversions_(conversions), strategy_(std::move(strategy)), executor_(executor) {}

  // Converts what of `states` needs it; at once, if nothing does. REQUIRES: shared.
  void Start(std::vector<store::ObjectPtr> states, base::TaskScope& tasks, std::function<void()> wake);

  bool ready() const { return ready_; }
  const base::Result<void>& result() const { return result_; }
  // The state as it is shown; nullptr if it is shown as it is stored.
  const json::Value* Find(const store::Object& state) const;

 private:
  static base::Task<void> Run(std::shared_ptr<EventConversion> self, std::vector<store::ObjectPtr> states,
                              std::function<void()> wake);

  SharedConversions& conversions_;
  const StrategyPtr strategy_;
  base::Executor& executor_;
  bool ready_ = false;
  base::Result<void> result_;
  std::map<store::Revision, SharedConversions::Shown> shown_;
};

}  // namespace annex::api
