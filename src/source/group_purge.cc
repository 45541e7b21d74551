#include "group_purge.h"

#include "annex/base/strings.h"
#include "parallel.h"

#include <utility>
#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr std::size_t kParallelCalls = 16;
// Each pass removes all that it is shown; a second one finds nothing.
constexpr int kPasses = 3;

}  // namespace

std::string EtcdVersionObstacle(const DefinitionsByName& definitions) {
  for (const auto& [name, definition] : definitions) {
    if (json::TextAt(definition, {"spec", "conversion", "strategy"}) == "Webhook") {
      return base::Quote(name) +
             " has a conversion webhook, which every access to its objects in etcd goes through";
    }
  }
  return "";
}

GroupPurge::GroupPurge(Parts parts, DefinitionsByName definitions, ProgressMeter::Tell tell)
    : parts_(std::move(parts)), definitions_(std::move(definitions)), tell_(std::move(tell)) {}

base::Task<base::Result<std::int64_t>> GroupPurge::Run() {
  for (const auto& [name, definition] : definitions_) {
    Value document = definition;
    ANNEX_CO_RETURN_IF_ERROR(co_await parts_.version.Open(std::move(document)));
  }
  ANNEX_CO_TRY(const std::int64_t total, co_await CountAll());
  ProgressMeter meter("removed", total, tell_, parts_.clock);
  co_await tell_(meter.Text());
  for (const auto& [name, definition] : definitions_) {
    EtcdObjects objects(parts_.call, definition);
    ANNEX_CO_RETURN_IF_ERROR(co_await Empty(std::move(objects), meter));
  }
  for (const auto& [name, definition] : definitions_) {
    std::string closed = name;
    ANNEX_CO_RETURN_IF_ERROR(co_await parts_.version.Close(std::move(closed)));
  }
  co_return meter.done();
}

base::Task<base::Result<std::int64_t>> GroupPurge::CountAll() {
  std::int64_t total = 0;
  for (const auto& [name, definition] : definitions_) {
    EtcdObjects objects(parts_.call, definition);
    ANNEX_CO_TRY(const std::int64_t count, co_await objects.Count());
    total += count;
  }
  co_return total;
}

base::Task<base::Result<void>> GroupPurge::Empty(EtcdObjects objects, ProgressMeter& meter) {
  std::int64_t left = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    ANNEX_CO_RETURN_IF_ERROR(co_await RemoveListed(objects, meter));
    ANNEX_CO_TRY(left, co_await objects.Count());
    if (left == 0) co_return base::Result<void>();
  }
  co_return base::Error(base::Reason::kInternalError,
                        std::to_string(left) + " objects in etcd came after their removal began");
}

base::Task<base::Result<void>> GroupPurge::RemoveListed(EtcdObjects& objects, ProgressMeter& meter) {
  EtcdObjects::Page page;
  do {
    std::string from = std::move(page.next);
    ANNEX_CO_TRY(page, co_await objects.List(std::move(from)));
    std::vector<EtcdObjects::Held> listed;
    listed.reserve(page.objects.size());
    for (const Value& object : page.objects) listed.push_back(objects.HeldOf(object));
    const auto count = static_cast<std::int64_t>(listed.size());
    std::function<base::Task<base::Result<void>>(EtcdObjects::Held)> remove =
        [&objects](EtcdObjects::Held held) { return objects.Remove(std::move(held)); };
    ANNEX_CO_RETURN_IF_ERROR(co_await InParallel(std::move(listed), kParallelCalls, std::move(remove),
                                                 parts_.executor, parts_.tasks));
    co_await meter.Add(count);
  } while (!page.next.empty());
  co_return base::Result<void>();
}

}  // namespace annex::source
