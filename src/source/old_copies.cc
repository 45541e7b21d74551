#include "old_copies.h"

#include "annex/source/adoption_names.h"

#include <algorithm>
#include <utility>

namespace annex::source {
namespace {

using json::Value;

bool WantsPurge(const DefinitionsByName::value_type& named) {
  return json::TextAt(named.second, {"metadata", "annotations", kPurgeAnnotation}) == kPurgeOldCopies;
}

}  // namespace

base::Task<base::Result<void>> OldCopies::Reconcile(DefinitionsByName definitions,
                                                    std::set<std::string> opened) {
  const auto asked = std::count_if(definitions.begin(), definitions.end(), WantsPurge);
  const bool all = asked != 0 && static_cast<std::size_t>(asked) == definitions.size();
  if (all && !Purged(definitions)) co_return co_await Purge(std::move(definitions));
  if (asked != 0 && !all) {
    co_await Tell(definitions, false, "Blocked",
                  std::string("not all definitions of the group have the annotation ") + kPurgeAnnotation +
                      "=" + kPurgeOldCopies);
  }
  // What an interrupted purge left, and nobody asks for any more.
  for (const std::string& name : opened) {
    std::string closed = name;
    ANNEX_CO_RETURN_IF_ERROR(co_await parts_.version.Close(std::move(closed)));
  }
  co_return base::Result<void>();
}

base::Task<base::Result<void>> OldCopies::Purge(DefinitionsByName definitions) {
  if (const std::string obstacle = EtcdVersionObstacle(definitions); !obstacle.empty()) {
    const std::string group = json::TextAt(definitions.begin()->second, {"spec", "group"});
    co_await Tell(
        definitions, false, "Blocked",
        obstacle + "; who has access to etcd can remove them: etcdctl del --prefix /registry/" + group + "/");
    co_return base::Result<void>();
  }
  GroupPurge purge(parts_, definitions, [this, &definitions](std::string message) {
    return Tell(definitions, false, "Purging", std::move(message));
  });
  const auto removed = co_await purge.Run();
  if (!removed) {
    co_await Tell(definitions, false, "Failed", removed.error().message);
    co_return base::Error(removed.error());
  }
  co_await Tell(definitions, true, "Purged", std::to_string(*removed) + " old copies were removed from etcd");
  co_return base::Result<void>();
}

base::Task<void> OldCopies::Returned(DefinitionsByName definitions) {
  if (Purged(definitions)) co_await Tell(definitions, false, "Released", "the objects are in etcd again");
}

bool OldCopies::Purged(const DefinitionsByName& definitions) const {
  return std::all_of(definitions.begin(), definitions.end(), [this](const auto& named) {
    return report_.StateOf(named.second, kPurgedCondition).holds;
  });
}

base::Task<void> OldCopies::Tell(const DefinitionsByName& definitions, bool purged, std::string reason,
                                 std::string message) {
  for (const auto& [name, definition] : definitions) {
    Value document = definition;
    AdoptionReport::State state{purged, reason, message};
    co_await report_.Tell(std::move(document), kPurgedCondition, std::move(state));
  }
}

}  // namespace annex::source
