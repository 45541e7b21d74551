#include "annex/server/check.h"

#include "annex/base/strings.h"
#include "annex/definition/breaking_changes.h"
#include "annex/definition/read.h"
#include "annex/definition/validate.h"
#include "annex/json/yaml_lines.h"
#include "annex/source/definition_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <string_view>
#include <utility>

namespace annex::server {
namespace {

using json::Value;
using source::DefinitionDocument;
using source::DefinitionFiles;

DefinitionFiles ReadPath(const std::string& path) {
  return std::filesystem::is_directory(path) ? source::ReadDefinitionFiles(path)
                                             : source::ReadDefinitionFile(path);
}

// The keys of a field's path: spec, versions, 0, schema. What kube-apiserver calls by an older name is
// what the file calls it: a part that all versions have in common stands in the first one.
std::vector<std::string> KeysOf(std::string_view field) {
  static const std::map<std::string_view, std::string_view> kInFile = {
      {"spec.validation", "spec.versions[0].schema"},
      {"spec.subresources", "spec.versions[0].subresources"},
      {"spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"},
      {"spec.selectableFields", "spec.versions[0].selectableFields"},
      {"spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig"},
      {"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions"},
  };
  std::string text(field);
  for (const auto& [name, in_file] : kInFile) {
    if (field.starts_with(name)) text = std::string(in_file).append(field.substr(name.size()));
  }
  std::vector<std::string> keys(1);
  bool in_brackets = false;
  for (const char c : text) {
    if ((c == '.' && !in_brackets) || c == '[') {
      in_brackets = c == '[';
      if (!keys.back().empty()) keys.emplace_back();
    } else if (c == ']' && in_brackets) {
      in_brackets = false;
    } else {
      keys.back() += c;
    }
  }
  return keys;
}

std::string TextOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Checker {
 public:
  explicit Checker(std::ostream& out) : out_(out) {}

  bool fine() const { return fine_; }

  void Problem(const source::DefinitionProblem& problem) {
    fine_ = false;
    out_ << problem.file << ':';
    if (problem.line > 0) out_ << problem.line << ':';
    out_ << ' ' << problem.message << '\n';
  }

  // Reports what is wrong with it.
  void Check(DefinitionDocument& document) {
    Value& definition = document.definition;
    const auto unknown_fields = definition::ReadNewDefinition(definition);
    if (!unknown_fields) {
      Problem({document.file, document.line, unknown_fields.error().message});
      return;
    }
    for (const std::string& field : *unknown_fields) Say(document, field, "warning: unknown field");
    for (const json::FieldError& error : definition::ValidateDefinition(definition)) Error(document, error);
    for (const std::string& format : definition::UnrecognizedFormats(definition))
      Say(document, "spec", "warning: unrecognized format " + base::Quote(format));
  }

  void Error(const DefinitionDocument& document, const json::FieldError& error) {
    fine_ = false;
    Say(document, error.field, error.body);
  }

 private:
  void Say(const DefinitionDocument& document, const std::string& field, const std::string& what) {
    if (document.file != file_) {
      file_ = document.file;
      text_ = TextOf(file_);
    }
    const std::size_t line = json::YamlLineOf(text_, document.line, KeysOf(field));
    out_ << document.file << ':' << line << ": " << field << ": " << what << '\n';
  }

  std::ostream& out_;
  bool fine_ = true;
  std::string file_;  // the last one that something was said of
  std::string text_;  // what it holds
};

const std::string& NameOf(const DefinitionDocument& document) {
  return json::TextAt(document.definition, {"metadata", "name"});
}

void CheckAgainst(const DefinitionFiles& old_files, const std::vector<DefinitionDocument>& documents,
                  Checker& checker) {
  for (const source::DefinitionProblem& problem : old_files.problems) checker.Problem(problem);
  for (const DefinitionDocument& old : old_files.definitions) {
    const auto same = std::find_if(documents.begin(), documents.end(),
                                   [&](const auto& document) { return NameOf(document) == NameOf(old); });
    if (same == documents.end()) {
      checker.Problem({old.file, old.line, base::Quote(NameOf(old)) + " is gone, with all of its objects"});
      continue;
    }
    Value before = old.definition;
    if (const auto read = definition::ReadNewDefinition(before); !read) {
      checker.Problem({old.file, old.line, read.error().message});
      continue;
    }
    for (const json::FieldError& change : definition::FindBreakingChanges(same->definition, before))
      checker.Error(*same, change);
  }
}

}  // namespace

bool Check(const CheckOptions& options, std::ostream& out) {
  Checker checker(out);
  std::vector<DefinitionDocument> documents;
  for (const std::string& path : options.paths) {
    DefinitionFiles files = ReadPath(path);
    for (const source::DefinitionProblem& problem : files.problems) checker.Problem(problem);
    for (DefinitionDocument& document : files.definitions) {
      checker.Check(document);
      documents.push_back(std::move(document));
    }
  }
  if (!options.against.empty()) CheckAgainst(ReadPath(options.against), documents, checker);
  return checker.fine();
}

}  // namespace annex::server
