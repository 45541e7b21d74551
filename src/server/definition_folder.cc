#include "definition_folder.h"

#include "annex/base/log.h"
#include "annex/base/strings.h"
#include "annex/source/adoption_names.h"
#include "annex/source/definition_facts.h"

#include <utility>

namespace annex::server {
namespace {

using json::Value;

// File systems without notifications (NFS) are looked at this often.
constexpr std::chrono::milliseconds kLook{30'000};
// What failed is tried again sooner: a definition that is being deleted will be gone.
constexpr std::chrono::milliseconds kRetry{2'000};

const std::string& NameOf(const Value& definition) {
  return json::TextAt(definition, {"metadata", "name"});
}

std::string PathOf(const std::string& name) {
  return std::string(source::kDefinitionsPath) + "/" + name;
}

// Such a definition is the cluster's to change and to delete.
bool IsAdopted(const Value& definition) {
  return !json::TextAt(definition, {"metadata", "annotations", source::kAdoptedAnnotation}).empty();
}

base::Result<void> Outcome(const LocalClient::Answer& answer) {
  if (answer.status == 200 || answer.status == 201) return {};
  return base::Error(base::Reason::kInvalid, json::TextAt(answer.body, {"message"}));
}

}  // namespace

base::Result<std::unique_ptr<DefinitionFolder>> DefinitionFolder::Start(Options options, LocalClient& client,
                                                                        base::Metrics& metrics) {
  // Watched before it is read, so that no change falls between.
  ANNEX_TRY(auto watch, source::FolderWatch::Open(options.directory));
  std::unique_ptr<DefinitionFolder> folder(
      new DefinitionFolder(std::move(options), std::move(watch), client, metrics));
  folder->Apply();
  folder->thread_.emplace("definitions", [raw = folder.get()] { raw->Follow(); });
  return folder;
}

DefinitionFolder::DefinitionFolder(Options options, std::unique_ptr<source::FolderWatch> watch,
                                   LocalClient& client, base::Metrics& metrics)
    : options_(std::move(options)),
      watch_(std::move(watch)),
      client_(client),
      problems_metric_(metrics
                           .Gauges("annex_definition_file_problems",
                                   "Files and documents of definitions that cannot be used.", {})
                           .With({})),
      reloads_metric_(
          metrics.Counters("annex_definition_reloads_total", "Readings of the folder of definitions.", {})
              .With({})) {}

DefinitionFolder::~DefinitionFolder() {
  watch_->Stop();
  thread_.reset();
}

void DefinitionFolder::Follow() {
  while (watch_->Wait(reported_.empty() ? kLook : kRetry) != source::FolderWatch::Outcome::kStopped) Apply();
}

void DefinitionFolder::Apply() {
  source::DefinitionFiles files = source::ReadDefinitionFiles(options_.directory);
  reloads_metric_.Increment();
  ApplyDocuments(files);
  if (options_.exclusive && files.problems.empty()) {
    std::set<std::string> names;
    for (const auto& document : files.definitions) names.insert(NameOf(document.definition));
    if (auto withdrawn = WithdrawOthers(names); !withdrawn) {
      files.problems.push_back({options_.directory, 0, std::move(withdrawn.error().message)});
    }
  }
  Report(files);
}

void DefinitionFolder::ApplyDocuments(source::DefinitionFiles& files) {
  std::map<std::string, std::string> seen;  // by name: the file
  for (source::DefinitionDocument& document : files.definitions) {
    const std::string& name = NameOf(document.definition);
    if (const auto [first, is_new] = seen.try_emplace(name, document.file); !is_new) {
      files.problems.push_back(
          {document.file, document.line, base::Quote(name) + " is defined in " + first->second + " already"});
      continue;
    }
    if (const auto applied = applied_.find(name);
        applied != applied_.end() && applied->second == document.definition)
      continue;
    auto applied = ApplyDefinition(document.definition);
    if (applied) {
      base::LogInfo("Applied a definition", {{"definition", name}, {"file", document.file}});
      applied_[name] = document.definition;
    } else {
      files.problems.push_back({document.file, document.line, std::move(applied.error().message)});
    }
  }
}

base::Result<void> DefinitionFolder::ApplyDefinition(const Value& definition) {
  const std::string& name = NameOf(definition);
  ANNEX_TRY(auto answer, client_.Call("POST", source::kDefinitionsPath, definition));
  // Somebody else may write it meanwhile: then what is there now is changed.
  while (answer.status == 409) {
    ANNEX_TRY(const auto existing, client_.Call("GET", PathOf(name), nullptr));
    if (existing.status != 200) return Outcome(existing);
    if (json::FindPath(existing.body, {"metadata", "deletionTimestamp"}) != nullptr) {
      return base::Error(base::Reason::kConflict,
                         base::Quote(name) + " is being deleted; it is made again when it is gone");
    }
    if (IsAdopted(existing.body)) {
      return base::Error(base::Reason::kConflict, base::Quote(name) + " was adopted from the cluster");
    }
    Value wanted = existing.body;
    wanted["spec"] = definition["spec"];
    for (const char* part : {"labels", "annotations"}) {
      if (const Value* value = json::FindPath(definition, {"metadata", part}))
        wanted["metadata"][part] = *value;
    }
    ANNEX_TRY(answer, client_.Call("PUT", PathOf(name), wanted));
  }
  return Outcome(answer);
}

base::Result<void> DefinitionFolder::WithdrawOthers(const std::set<std::string>& names) {
  ANNEX_TRY(const auto list, client_.Call("GET", source::kDefinitionsPath, nullptr));
  for (const Value& definition : json::ItemsAt(list.body, {"items"})) {
    const std::string& name = NameOf(definition);
    const bool deleting = json::FindPath(definition, {"metadata", "deletionTimestamp"}) != nullptr;
    if (names.contains(name) || deleting || IsAdopted(definition)) continue;
    ANNEX_TRY(const auto answer, client_.Call("DELETE", PathOf(name), nullptr));
    if (answer.status != 404) ANNEX_RETURN_IF_ERROR(Outcome(answer));
    applied_.erase(name);
    base::LogInfo("Withdrew a definition that is in no file any more; its objects stay in the store",
                  {{"definition", name}});
  }
  return {};
}

void DefinitionFolder::Report(const source::DefinitionFiles& files) {
  problems_metric_.Set(static_cast<double>(files.problems.size()));
  std::set<std::string> present;
  for (const source::DefinitionProblem& problem : files.problems) {
    std::string place = problem.file;
    if (problem.line > 0) place += ":" + std::to_string(problem.line);
    std::string text = place + ": " + problem.message;
    if (!reported_.contains(text)) {
      base::LogError("A definition file cannot be used; what was served before stays in force",
                     {{"file", place}, {"error", problem.message}});
    }
    present.insert(std::move(text));
  }
  if (present.empty() && !reported_.empty())
    base::LogInfo("All definition files can be used again", {{"folder", options_.directory}});
  reported_ = std::move(present);
}

}  // namespace annex::server
