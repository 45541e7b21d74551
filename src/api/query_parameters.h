// QueryParameters: the decoded parameters of a request's URL.
//
// Thread rule: a value type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::api {

// Decodes %XX (and, in a query, + as a space). nullopt for a malformed escape.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

class QueryParameters {
 public:
  QueryParameters() = default;
  // Pairs with a malformed escape or a ';' are left out, as Go's URL.Query does.
  explicit QueryParameters(std::string_view query);

  bool Has(std::string_view name) const;
  // The first value of `name`; "" if there is none.
  const std::string& Get(std::string_view name) const;
  std::vector<std::string> All(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace annex::api
