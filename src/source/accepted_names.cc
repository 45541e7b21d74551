#include "accepted_names.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace annex::source {

void UsedNames::Add(const definition::Names& accepted) {
  resources.insert({accepted.plural, accepted.singular});
  resources.insert(accepted.short_names.begin(), accepted.short_names.end());
  kinds.insert({accepted.kind, accepted.list_kind});
  resources.erase("");
  kinds.erase("");
}

AcceptedNames AcceptNames(const definition::Names& wanted, const definition::Names& current,
                          const UsedNames& used) {
  AcceptedNames accepted;
  accepted.names = current;
  const auto refuse = [&accepted](const char* reason, std::string message) {
    accepted.all = false;
    accepted.reason = reason;
    accepted.message = std::move(message);
  };
  // A name that was accepted stays so, whoever came later.
  const auto take = [&](const std::set<std::string>& others, const std::string& name, std::string& place,
                        const char* reason) {
    if (name != place && others.contains(name)) {
      refuse(reason, base::Quote(name) + " is already in use");
    } else {
      place = name;
    }
  };
  // In this order, so that the last conflict is the one that is told.
  take(used.resources, wanted.plural, accepted.names.plural, "PluralConflict");
  take(used.resources, wanted.singular, accepted.names.singular, "SingularConflict");
  std::vector<std::string> taken;
  for (const std::string& name : wanted.short_names) {
    const auto& had = current.short_names;
    if (std::find(had.begin(), had.end(), name) != had.end() || !used.resources.contains(name)) continue;
    taken.push_back(base::Quote(name) + " is already in use");
  }
  if (taken.empty()) {
    accepted.names.short_names = wanted.short_names;
  } else {
    refuse("ShortNamesConflict", taken.size() == 1 ? taken[0] : "[" + base::Join(taken, ", ") + "]");
  }
  take(used.kinds, wanted.kind, accepted.names.kind, "KindConflict");
  take(used.kinds, wanted.list_kind, accepted.names.list_kind, "ListKindConflict");
  accepted.names.categories = wanted.categories;
  return accepted;
}

}  // namespace annex::source
