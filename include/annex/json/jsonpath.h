// JSONPath as kubectl and printer columns use it (k8s.io/client-go/util/jsonpath).
//
// Thread rule: a compiled JsonPath is immutable and may be used from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "annex/base/result.h"
#include "annex/json/value.h"

namespace annex::json {

class JsonPath {
 public:
  // Compiles a path such as `.spec.ports[0].name` or `.status.conditions[?(@.type=="Ready")].status`.
  // Errors: Invalid, with the text of client-go's parser.
  static base::Result<JsonPath> Compile(std::string_view expression);

  // The values that the path leads to in `root`; missing keys lead to nothing. The pointers live as long as `root` is unchanged.
  // Errors: Invalid, where client-go's evaluation fails even with missing keys allowed (an index out of bounds, a filter on a
  // value that cannot be compared).
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

}  // namespace annex::json
