#include "conflicts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace annex::ownership {

base::Status ConflictStatus(Conflicts conflicts) {
  std::sort(conflicts.begin(), conflicts.end(),
            [](const Conflict& a, const Conflict& b) { return a.id.Text() < b.id.Text(); });
  base::Status status{base::Reason::kConflict, {}};
  status.details.present = true;
  std::string list;
  for (const Conflict& conflict : conflicts) {
    const std::string manager = conflict.id.Describe();
    list += (list.empty() ? "conflicts with " : "\nconflicts with ") + manager + ":";
    for (std::string& path : conflict.fields.PathTexts()) {
      list += "\n- " + path;
      status.details.causes.push_back({"FieldManagerConflict", "conflict with " + manager, std::move(path)});
    }
  }
  const auto& causes = status.details.causes;
  status.message = causes.size() == 1
                       ? "Apply failed with 1 conflict: " + causes[0].message + ": " + causes[0].field
                       : "Apply failed with " + std::to_string(causes.size()) + " conflicts: " + list;
  return status;
}

}  // namespace annex::ownership
