// JSONPath as kubectl and printer columns use it (k8s.io/client-go/util/jsonpath).
//
// Thread rule: a compiled JsonPath is immutable and may be used from any thread.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// How many values one evaluation may look at: more than an object of 3 MiB holds. Each ".." of a path may
// visit all of them again for each value that it begins at.
inline constexpr std::size_t kMaxJsonPathSteps = 2'000'000;

class JsonPath {
 public:
  // Compiles a path such as `.spec.ports[0].name` or `.status.conditions[?(@.type=="Ready")].status`. It
  // stands within the braces of a template, as printer columns have it: "a}b{.c" are three parts.
  //
  // Errors: Invalid, with the text of client-go's parser.
  static base::Result<JsonPath> Compile(std::string_view expression);

  // The values that the path leads to in `root`; missing keys lead to nothing. Of a template with several
  // parts, the values of the first one. Members of objects come in the order of their keys (client-go: in any
  // order).
  //
  // Ownership: the pointers live as long as `root` is unchanged and a copy of this JsonPath lives (which
  // holds the texts and numbers of the path itself).
  //
  // Errors: Invalid, where client-go's evaluation fails even with missing keys allowed (an index out of
  // bounds, a filter on a value that cannot be compared), and beyond kMaxJsonPathSteps.
  base::Result<std::vector<const Value*>> Find(const Value& root) const;

  struct Node;
  ~JsonPath();
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;
  JsonPath(const JsonPath&);
  JsonPath& operator=(const JsonPath&);

 private:
  explicit JsonPath(std::shared_ptr<const std::vector<Node>> nodes);
  std::shared_ptr<const std::vector<Node>> nodes_;
};

// A value as a printer column of type string shows it: text bare, collections as JSON, "<no value>" for null,
// 1e+06 for a million that is no integer.
std::string PrintResult(const Value& value);

}  // namespace annex::json
