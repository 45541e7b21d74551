#include "annex/source/definition_files.h"

#include "annex/base/strings.h"
#include "annex/json/yaml.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace annex::source {
namespace {

using json::Value;

bool IsDefinitionFile(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string extension = path.extension().string();
  return !name.starts_with('.') && (extension == ".yaml" || extension == ".yml" || extension == ".json");
}

// Takes in one document: a definition, or a list of them.
void AddDocument(const std::string& file, std::size_t line, const Value& document, DefinitionFiles& files) {
  const auto problem = [&](std::string message) {
    files.problems.push_back({file, line, std::move(message)});
  };
  const std::string& kind = json::TextAt(document, {"kind"});
  const std::string& version = json::TextAt(document, {"apiVersion"});
  if (kind == "List" || kind == "CustomResourceDefinitionList") {
    for (const Value& item : json::ItemsAt(document, {"items"})) AddDocument(file, line, item, files);
    return;
  }
  if (kind != "CustomResourceDefinition") {
    problem("kind: " + base::Quote(kind) + " is not served from files: only CustomResourceDefinition is");
  } else if (version != "apiextensions.k8s.io/v1") {
    problem("apiVersion: " + base::Quote(version) + " is not supported: write it as apiextensions.k8s.io/v1");
  } else if (json::TextAt(document, {"metadata", "name"}).empty()) {
    problem("metadata.name: Required value");
  } else {
    files.definitions.push_back({file, line, document});
  }
}

void AddFile(const std::filesystem::path& path, DefinitionFiles& files) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) {
    files.problems.push_back({path.string(), 0, "the file cannot be read"});
    return;
  }
  const auto documents = json::ParseYamlDocuments(text);
  if (!documents) {
    files.problems.push_back({path.string(), 0, documents.error().message});
    return;
  }
  // A file that is being written, or was cut off, is not one from which all definitions were taken out.
  if (documents->empty()) files.problems.push_back({path.string(), 0, "the file holds no document"});
  for (const json::YamlDocument& document : *documents)
    AddDocument(path.string(), document.line, document.value, files);
}

}  // namespace

DefinitionFiles ReadDefinitionFiles(const std::string& directory) {
  DefinitionFiles files;
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (IsDefinitionFile(entry->path()) && !entry->is_directory()) paths.push_back(entry->path());
  }
  if (error) files.problems.push_back({directory, 0, "the folder cannot be read: " + error.message()});
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) AddFile(path, files);
  return files;
}

DefinitionFiles ReadDefinitionFile(const std::string& path) {
  DefinitionFiles files;
  AddFile(path, files);
  return files;
}

}  // namespace annex::source
