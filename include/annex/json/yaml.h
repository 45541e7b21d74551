// Reading YAML documents as JSON values, with the scalar rules of Kubernetes' YAML library (sigs.k8s.io/yaml,
// YAML 1.1), and writing values as YAML.
//
// Thread rule: free functions. Failure: BadRequest with the library's wording where clients see it.
//
// A document nests at most kMaxDepth deep (read.h). Reading needs no stack for it; copying such a value does.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// What all aliases of a document together may repeat. go-yaml counts only nodes, so that a body of 3 MiB can
// ask it for gigabytes of text; its rule for nodes holds here too.
inline constexpr std::size_t kMaxYamlAliasBytes = 32UL * 1024 * 1024;

// ToYaml writes what is nested deeper than this on one line: indentation would make the text grow with the
// square of the depth. For the same reason it does so where indentation outgrows the text by far.
inline constexpr std::size_t kMaxYamlBlockDepth = 128;

// What a strict reader complains about.
struct YamlReport {
  struct Duplicate {
    std::size_t line;  // 1-based, of the key's further value
    std::string key;   // as Go shows it: `"size"`, `1`, `true`

    // `line 7: key "size" already set in map`
    std::string Message() const;
  };
  // In go-yaml's order, 100 at most. A merge ("<<") that meets a key that is already there counts too.
  std::vector<Duplicate> duplicate_keys;
};

// The first document of `text`; null if there is none. Whatever follows it is ignored. The last of equal keys
// wins. `report` may be nullptr.
base::Result<Value> ParseYaml(std::string_view text, YamlReport* report = nullptr);

// One document of a file, with the place where it begins.
struct YamlDocument {
  Value value;
  std::size_t line = 1;  // 1-based, of the document's first line of content
};

// All documents of a file, empty ones left out. Here an equal key is an error: a file is written by an
// operator, who should know. Reads with yaml-cpp: syntax errors are in its words, and nothing may nest deeper
// than 500 levels.
base::Result<std::vector<YamlDocument>> ParseYamlDocuments(std::string_view text);

// Block-style YAML as kube-apiserver answers it: keys in go-yaml's order (numbers within them by value),
// sequences not indented below their key, text folded at 80 columns, strings quoted only where another type
// would be read.
std::string ToYaml(const Value& value);

}  // namespace annex::json
