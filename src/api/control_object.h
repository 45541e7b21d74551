// ControlObject: a change of an object by a controller of the server itself: not bound by what clients may
// change.
#pragma once

#include "annex/base/task.h"
#include "context.h"

#include <functional>
#include <string>

namespace annex::api {

// See ApiService::UpdateBuiltin.
base::Task<base::Result<void>> ControlObject(Parts& parts, StrategyPtr strategy, std::string name,
                                             std::function<bool(json::Value&)> change,
                                             base::Executor& executor);

}  // namespace annex::api
