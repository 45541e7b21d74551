#include "own_definitions.h"

#include "annex/base/strings.h"
#include "annex/source/adoption_names.h"
#include "annex/source/definition_facts.h"

#include <utility>

namespace annex::server {
namespace {

using json::Value;

std::string PathOf(const std::string& name) {
  return std::string(source::kDefinitionsPath) + "/" + name;
}

base::Result<void> Outcome(const LocalClient::Answer& answer) {
  if (answer.status == 200 || answer.status == 201) return {};
  const auto reason = answer.status == 409 ? base::Reason::kConflict : base::Reason::kInvalid;
  return base::Error(reason, json::TextAt(answer.body, {"message"}));
}

const std::string& AdoptedFrom(const Value& definition) {
  return json::TextAt(definition, {"metadata", "annotations", source::kAdoptedAnnotation});
}

}  // namespace

base::Task<base::Result<std::vector<Value>>> OwnDefinitions::List() {
  ANNEX_CO_TRY(const auto answer, co_await client_.Send("GET", source::kDefinitionsPath, nullptr));
  ANNEX_CO_RETURN_IF_ERROR(Outcome(answer));
  co_return json::ItemsAt(answer.body, {"items"});
}

base::Task<base::Result<void>> OwnDefinitions::Apply(Value definition, Mode mode) {
  const std::string& name = json::TextAt(definition, {"metadata", "name"});
  const std::string dry_run = mode == Mode::kCheck ? "?dryRun=All" : "";
  ANNEX_CO_TRY(const auto existing, co_await client_.Send("GET", PathOf(name), nullptr));
  if (existing.status == 404) {
    ANNEX_CO_TRY(const auto created,
                 co_await client_.Send("POST", source::kDefinitionsPath + dry_run, definition));
    co_return Outcome(created);
  }
  ANNEX_CO_RETURN_IF_ERROR(Outcome(existing));
  if (AdoptedFrom(existing.body) != AdoptedFrom(definition)) {
    co_return base::Error(base::Reason::kConflict,
                          "Annex has a definition " + base::Quote(name) + " of its own, such as from a file");
  }
  Value wanted = existing.body;
  wanted["spec"] = definition["spec"];
  wanted["metadata"]["annotations"] = definition["metadata"]["annotations"];
  ANNEX_CO_TRY(const auto updated, co_await client_.Send("PUT", PathOf(name) + dry_run, wanted));
  co_return Outcome(updated);
}

base::Task<base::Result<void>> OwnDefinitions::Remove(std::string name) {
  ANNEX_CO_TRY(const auto answer, co_await client_.Send("DELETE", PathOf(name), nullptr));
  if (answer.status == 404) co_return base::Result<void>();
  co_return Outcome(answer);
}

}  // namespace annex::server
