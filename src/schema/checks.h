// The single checks of kube-openapi's validation: whether a value passes, without a word about why not. Fits
// (fits.h) and Validator (validator.h) both decide with these.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annex::schema {

// How messages call a type: "object", "integer,string"; "" for kNone.
std::string_view TypeText(Type type);

// The type check of a value that is not null. A format takes part: with one that is checked, a text or an
// array passes as any type but a number.
bool FitsType(const Node& node, const json::Value& value);
// What the message says where FitsType fails.
struct TypeMismatch {
  std::string_view expected;
  std::string_view found;
};
TypeMismatch ExplainType(const Node& node, const json::Value& value);

// The check of null, the allowed values aside.
bool AllowsNull(const Node& node);

// One of the allowed values, if there are any. Go converts the value to each one's type first: 1.5 is 1, and
// 65 is "A".
bool FitsEnumeration(const Validations& validations, const json::Value& value);

bool FitsMaxLength(const Validations& validations, std::string_view text);
bool FitsMinLength(const Validations& validations, std::string_view text);

// REQUIRES: the limit is set, and `number` is a number. A limit of an integer is cut to an integer.
bool FitsMaximum(const Validations& validations, const json::Value& number);
bool FitsMinimum(const Validations& validations, const json::Value& number);
bool FitsMultipleOf(double factor, const json::Value& number);

bool HasUniqueItems(const json::Value::array_t& items);

// A limit as an optional number of entries.
bool ExceedsLimit(std::size_t count, const std::optional<std::int64_t>& max);
bool UndercutsLimit(std::size_t count, const std::optional<std::int64_t>& min);

}  // namespace annex::schema
