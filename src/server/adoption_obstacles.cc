#include "adoption_obstacles.h"

#include "annex/base/strings.h"
#include "annex/definition/read.h"
#include "annex/definition/validate.h"
#include "annex/source/adoption_names.h"

#include <utility>

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

base::Task<base::Result<std::vector<std::string>>> ObstaclesOf(kube::Client& client, std::string group,
                                                               source::DefinitionsByName definitions,
                                                               base::Executor& executor) {
  for (auto& [name, definition] : definitions) definition["metadata"]["labels"][source::kServeLabel] = "true";
  source::AdoptionQuestion question{client,
                                    [](json::Value definition) -> base::Task<base::Result<void>> {
                                      co_return CheckServable(std::move(definition));
                                    },
                                    executor};
  source::DefinitionsByName own = definitions;
  co_return co_await source::FindObstacles(std::move(question), std::move(group), std::move(definitions),
                                           std::move(own));
}

}  // namespace annex::server
