#include "context.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "status_text.h"

namespace annex::api {

base::Result<std::string> Context::Key() const {
  if (const auto problems = base::CheckPathSegment(info.name); !problems.empty()) {
    return base::Error(
        BadRequest("Name parameter invalid: " + base::Quote(info.name) + ": " + base::Join(problems, ";")));
  }
  return KeyOf(*strategy, info.namespace_name, info.name);
}

}  // namespace annex::api
