// FieldVersions: the versions of a resource, as field ownership sees them during one write.
//
// Field ownership does not wait. Where a webhook converts, a conversion that was not made yet fails and is
// noted; the caller has it made (Fetch) and begins again, until nothing is missing:
//
//   do { work(versions); } while (versions.Missing() && (co_await versions.Fetch(executor), true));
//
// Thread rule: belongs to one request. Lifetime: the strategy must outlive it.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/task.h"
#include "annex/ownership/field_manager.h"
#include "strategy.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace annex::api {

class FieldVersions final : public ownership::Versions {
 public:
  explicit FieldVersions(const Strategy& strategy) : strategy_(strategy) {}

  const ownership::ObjectType* TypeOf(std::string_view api_version) const override;
  base::Result<json::Value> Convert(const json::Value& object, std::string_view api_version) const override;

  // Whether a conversion was asked for that has still to be made: what failed may succeed then.
  bool Missing() const;
  // Makes it. If that fails, so does the conversion when it is asked for again.
  base::Task<base::Result<void>> Fetch(base::Executor& executor);

 private:
  struct Conversion {
    json::Value object;
    std::string api_version;
    std::optional<base::Result<json::Value>> result;
  };

  const Strategy& strategy_;
  mutable std::deque<Conversion> conversions_;  // by webhook, in the order in which they were asked for
};

}  // namespace annex::api
