#include "annex/json/float_text.h"
#include "annex/json/write.h"
#include "jsonpath_node.h"

#include <string>

namespace annex::json {
namespace {

// Types as Go's templates tell them apart. Numbers of different types are never compared.
enum class Kind : std::uint8_t { kNone, kBoolean, kInteger, kFloat, kString };

Kind KindOf(const Value& value) {
  if (value.is_boolean()) return Kind::kBoolean;
  if (value.is_number_integer()) return Kind::kInteger;
  if (value.is_number_float()) return Kind::kFloat;
  return value.is_string() ? Kind::kString : Kind::kNone;
}

}  // namespace

base::Result<bool> CompareJsonPathValues(const Value& left, std::string_view op, const Value& right) {
  constexpr const char* kBadType = "invalid type for comparison";
  const Kind kind = KindOf(left);
  const Kind other = KindOf(right);
  if (kind == Kind::kNone || other == Kind::kNone) return base::Error(base::Reason::kInvalid, kBadType);
  if (kind != other) return base::Error(base::Reason::kInvalid, "incompatible types for comparison");
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  if (kind == Kind::kBoolean) return base::Error(base::Reason::kInvalid, kBadType);
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  return left >= right;
}

std::string PrintResult(const Value& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "<no value>";
  if (!value.is_number_float()) return ToJson(value);
  std::string text;
  AppendFloat(text, value.get<double>());
  return text;
}

}  // namespace annex::json
