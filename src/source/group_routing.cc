#include "group_routing.h"

#include "annex/base/strings.h"
#include "annex/source/adoption_names.h"
#include "annex/source/definition_facts.h"

#include <vector>

namespace annex::source {
namespace {

using json::Value;

constexpr std::chrono::milliseconds kPoll{10};
constexpr std::chrono::seconds kPatience{30};
// A name that no definition accepts: see EndWatches.
constexpr const char* kMovedCategory = "annex-moved";

std::vector<std::string> PathsOf(const DefinitionsByName& definitions) {
  std::vector<std::string> paths;
  for (const auto& [name, definition] : definitions) {
    const std::string& group = json::TextAt(definition, {"spec", "group"});
    const std::string& plural = json::TextAt(definition, {"spec", "names", "plural"});
    for (const Value& version : json::ItemsAt(definition, {"spec", "versions"})) {
      if (json::FlagAt(version, {"served"}))
        paths.push_back("/apis/" + base::Join({group, json::TextAt(version, {"name"}), plural}, "/"));
    }
  }
  return paths;
}

}  // namespace

base::Task<base::Result<void>> GroupRouting::Await(From from, DefinitionsByName definitions) {
  const auto begin = clock_.Monotonic();
  for (const std::string& path : PathsOf(definitions)) {
    while (true) {
      std::string asked = path;
      const auto answers = co_await Answers(from, std::move(asked));
      if (answers && *answers) break;
      if (clock_.Monotonic() - begin > kPatience) {
        co_return base::Error(base::Reason::kTimeout,
                              "requests for " + path + " do not reach " +
                                  (from == From::kAnnex ? "Annex" : "the cluster's own storage"));
      }
      co_await base::Sleep(executor_, kPoll);
    }
  }
  co_return base::Result<void>();
}

// Annex's revisions are beyond what etcd will ever count.
base::Task<base::Result<bool>> GroupRouting::Answers(From from, std::string path) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = std::move(path) + "?limit=1";
  ANNEX_CO_TRY(const Value page, co_await call_(std::move(call)));
  const auto revision = base::ParseInt64(json::TextAt(page, {"metadata", "resourceVersion"})).value_or(0);
  co_return (revision > kBeyondEtcd) == (from == From::kAnnex);
}

// kube-apiserver ends them when the names of a definition change; and these it puts right at once by itself.
base::Task<base::Result<void>> GroupRouting::EndWatches(std::string definition) {
  kube::Client::Call call;
  call.method = "PATCH";
  call.target = std::string(kDefinitionsPath) + "/" + definition + "/status?fieldManager=annex";
  call.content_type = "application/merge-patch+json";
  call.body = {{"status", {{"acceptedNames", {{"categories", {kMovedCategory}}}}}}};
  ANNEX_CO_RETURN_IF_ERROR(co_await call_(std::move(call)));
  co_return base::Result<void>();
}

}  // namespace annex::source
