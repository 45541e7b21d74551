// What a compiled JsonPath consists of.
//
// Thread rule: value types.
#pragma once

#include "annex/base/result.h"
#include "annex/json/jsonpath.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::json {

struct JsonPath::Node {
  enum class Type : std::uint8_t {
    kText,        // `constant`, once, whatever the input is
    kLiteral,     // `constant` for each input
    kField,       // the member `name`
    kIdentifier,  // "range", "end"
    kArray,       // items by `range`
    kWildcard,
    kRecursive,
    kList,    // `nodes`, each applied to what the one before found
    kUnion,   // `nodes` are lists
    kFilter,  // `nodes` are two lists, compared with the operator `name`; only one if that is "exists"
  };

  // [first:end:step], each may be missing. "[2]" is [2:3] with a derived end.
  struct Range {
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> end;
    std::optional<std::int64_t> step;
    bool derived_end = false;
  };

  Type type = Type::kList;
  std::string name = {};
  Value constant = {};
  Range range = {};
  std::vector<Node> nodes = {};
};

// The parts of a template, each a kText or a kList. Errors: the text of client-go's parser.
base::Result<std::vector<JsonPath::Node>> ParseJsonPathTemplate(std::string_view text);

// Compares with "==", "!=", "<", "<=", ">", ">=". Errors: the texts of Go's templates, for values that cannot
// be compared.
base::Result<bool> CompareJsonPathValues(const Value& left, std::string_view op, const Value& right);

}  // namespace annex::json
