// CustomResourceDefinitions in a folder of YAML or JSON files.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace annex::source {

struct DefinitionDocument {
  std::string file;
  std::size_t line = 1;  // where the document begins
  json::Value definition;
};

// A file, or a document in it, that is no definition. The others of the folder count all the same.
struct DefinitionProblem {
  std::string file;
  std::size_t line = 0;  // 0: the file as a whole
  std::string message;
};

struct DefinitionFiles {
  std::vector<DefinitionDocument> definitions;  // in the order of their files' names
  std::vector<DefinitionProblem> problems;
};

// Reads every *.yaml, *.yml and *.json in `directory` (not in folders below it), each with any number of
// documents, or a List of definitions. Files whose names begin with '.' are left out: a mounted ConfigMap has
// its versions in such folders.
DefinitionFiles ReadDefinitionFiles(const std::string& directory);

// Reads one file, whatever its name.
DefinitionFiles ReadDefinitionFile(const std::string& path);

}  // namespace annex::source
