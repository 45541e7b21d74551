// Reading YAML documents as JSON values, with the scalar rules of Kubernetes' YAML library (sigs.k8s.io/yaml, YAML 1.1).
//
// Thread rule: free functions. Failure: BadRequest with the library's wording where clients see it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "annex/base/result.h"
#include "annex/json/value.h"

namespace annex::json {

// A reader must end quickly on hostile input: no aliases are followed beyond these.
inline constexpr std::size_t kMaxYamlNodes = 4'000'000;

struct YamlReport {
  // `key "size" already set in map`, with the 1-based line of the second occurrence.
  struct Duplicate {
    std::size_t line;
    std::string key;
  };
  std::vector<Duplicate> duplicate_keys;
};

// The first document of `text`; null if there is none. The last of equal keys wins. `report` may be nullptr.
base::Result<Value> ParseYaml(std::string_view text, YamlReport* report = nullptr);

// One document of a file, with the place where it begins.
struct YamlDocument {
  Value value;
  std::size_t line = 1;  // 1-based, of the document's first line of content
};

// All documents of a file, empty ones left out. Here an equal key is an error: a file is written by an operator, who should know.
base::Result<std::vector<YamlDocument>> ParseYamlDocuments(std::string_view text);

// Block-style YAML as kube-apiserver answers it: sorted keys, strings quoted only where another type would be read.
std::string ToYaml(const Value& value);

}  // namespace annex::json
