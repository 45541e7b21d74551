#include "definition_check.h"

#include "annex/base/strings.h"
#include "annex/definition/read.h"
#include "annex/definition/validate.h"

#include <string>
#include <utility>
#include <vector>

namespace annex::server {

base::Result<void> CheckServable(json::Value definition) {
  const std::string name = base::Quote(json::TextAt(definition, {"metadata", "name"}));
  if (auto read = definition::ReadNewDefinition(definition); !read)
    return base::Error(base::Reason::kInvalid, name + ": " + read.error().message);
  std::vector<std::string> problems;
  for (const json::FieldError& error : definition::ValidateDefinition(definition))
    problems.push_back(error.Message());
  if (problems.empty()) return {};
  return base::Error(base::Reason::kInvalid, name + ": " + base::Join(problems, ", "));
}

}  // namespace annex::server
