#include "accepted_names.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <set>
#include <utility>

namespace annex::source {

AcceptedNames AcceptNames(const definition::Names& wanted, const definition::Names& current,
                          const std::vector<definition::Names>& others) {
  std::set<std::string> resources;
  std::set<std::string> kinds;
  for (const definition::Names& other : others) {
    resources.insert({other.plural, other.singular});
    resources.insert(other.short_names.begin(), other.short_names.end());
    kinds.insert({other.kind, other.list_kind});
  }
  resources.erase("");
  kinds.erase("");
  AcceptedNames accepted;
  accepted.names = current;
  const auto refuse = [&accepted](const char* reason, std::string message) {
    accepted.all = false;
    accepted.reason = reason;
    accepted.message = std::move(message);
  };
  // A name that was accepted stays so, whoever came later.
  const auto take = [&](const std::set<std::string>& used, const std::string& name, std::string& place,
                        const char* reason) {
    if (name != place && used.contains(name)) {
      refuse(reason, base::Quote(name) + " is already in use");
    } else {
      place = name;
    }
  };
  // In this order, so that the last conflict is the one that is told.
  take(resources, wanted.plural, accepted.names.plural, "PluralConflict");
  take(resources, wanted.singular, accepted.names.singular, "SingularConflict");
  std::vector<std::string> taken;
  for (const std::string& name : wanted.short_names) {
    const auto& had = current.short_names;
    if (std::find(had.begin(), had.end(), name) != had.end() || !resources.contains(name)) continue;
    taken.push_back(base::Quote(name) + " is already in use");
  }
  if (taken.empty()) {
    accepted.names.short_names = wanted.short_names;
  } else {
    refuse("ShortNamesConflict", taken.size() == 1 ? taken[0] : "[" + base::Join(taken, ", ") + "]");
  }
  take(kinds, wanted.kind, accepted.names.kind, "KindConflict");
  take(kinds, wanted.list_kind, accepted.names.list_kind, "ListKindConflict");
  accepted.names.categories = wanted.categories;
  return accepted;
}

}  // namespace annex::source
