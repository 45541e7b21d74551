// DefinitionFolder: keeps the definitions of the store at what a folder of files says, without restarts.
//
// A file, document or definition that cannot be used is logged, counted in a metric, and leaves the last good
// definition in force; the rest of the folder counts all the same. Where the folder is the only source of
// definitions (`exclusive`), one that is in no file any more is withdrawn, but only while the whole folder
// can be read and used: a broken file may be the one that it is in.
//
// Thread rule: one thread of its own follows the folder after Start.
#pragma once

#include "annex/base/metrics.h"
#include "annex/base/result.h"
#include "annex/base/thread.h"
#include "annex/json/value.h"
#include "annex/source/definition_files.h"
#include "annex/source/folder_watch.h"
#include "local_client.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace annex::server {

class DefinitionFolder {
 public:
  struct Options {
    std::string directory;
    bool exclusive = false;
  };
  // Applies the folder once, then follows it. Errors: InternalError (the folder cannot be watched).
  static base::Result<std::unique_ptr<DefinitionFolder>> Start(Options options, LocalClient& client,
                                                               base::Metrics& metrics);
  // Stops following. REQUIRES: the client still works.
  ~DefinitionFolder();

 private:
  DefinitionFolder(Options options, std::unique_ptr<source::FolderWatch> watch, LocalClient& client,
                   base::Metrics& metrics);

  void Follow();
  void Apply();
  void ApplyDocuments(source::DefinitionFiles& files);
  // Creates the definition, or brings the one that is there to the file's spec, labels and annotations.
  base::Result<void> ApplyDefinition(const json::Value& definition);
  base::Result<void> WithdrawOthers(const std::set<std::string>& names);
  void Report(const source::DefinitionFiles& files);

  const Options options_;
  const std::unique_ptr<source::FolderWatch> watch_;
  LocalClient& client_;
  base::Gauge& problems_metric_;
  base::Counter& reloads_metric_;
  std::map<std::string, json::Value> applied_;  // by name: the documents in force
  std::set<std::string> reported_;              // the problems that the log has
  std::optional<base::Thread> thread_;          // last: it uses all of the above
};

}  // namespace annex::server
