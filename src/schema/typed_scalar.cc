// Scalars of TypedReader.
#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/schema/go_time.h"
#include "go_base64.h"
#include "typed_reader.h"

#include <limits>

namespace annex::schema {
namespace {

using Kind = TypedType::Kind;
using json::Value;

bool FitsKind(std::int64_t integer, Kind kind) {
  return kind == Kind::kInteger64 || (integer >= std::numeric_limits<std::int32_t>::min() &&
                                      integer <= std::numeric_limits<std::int32_t>::max());
}

// A double as the text that Go has read. What a request wrote is not known any more; a whole number can only
// have been written with a fraction or an exponent.
std::string LiteralOf(double number, NumberSource source) {
  std::string text;
  json::AppendJsonNumber(text, number);
  if (source == NumberSource::kText && base::ParseInt64(text)) text += ".0";
  return text;
}

}  // namespace

std::string_view GoKind(const Value& value) {
  if (value.is_number()) return "number";
  return value.is_boolean() ? "bool" : json::TypeName(value);
}

bool TypedReader::ReadScalar(Value& value, const TypedType& type) {
  if (type.kind == Kind::kFloat64 && value.is_number()) {
    if (!value.is_number_float()) value = static_cast<double>(value.get<std::int64_t>());
    return true;
  }
  const bool fits =
      (type.kind == Kind::kText && value.is_string()) || (type.kind == Kind::kBoolean && value.is_boolean());
  return fits || NoteWrongType(GoKind(value), type.go_name);
}

bool TypedReader::ReadInteger(Value& value, const TypedType& type) {
  if (!value.is_number()) return NoteWrongType(GoKind(value), type.go_name);
  if (value.is_number_integer()) {
    const auto integer = value.get<std::int64_t>();
    return FitsKind(integer, type.kind) || NoteWrongType("number " + std::to_string(integer), type.go_name);
  }
  const std::string literal = LiteralOf(value.get<double>(), numbers_);
  const auto integer = base::ParseInt64(literal);
  if (!integer || !FitsKind(*integer, type.kind)) return NoteWrongType("number " + literal, type.go_name);
  value = *integer;
  return true;
}

bool TypedReader::ReadTime(Value& value, Kind kind) {
  if (!value.is_string()) return End({"", std::string(GoKind(value)), "string"});
  const TimeLayout layout = kind == Kind::kTime ? TimeLayout::kRfc3339 : TimeLayout::kRfc3339Micro;
  const auto moment = ParseTime(value.get_ref<const std::string&>(), layout);
  if (!moment) return End({moment.error(), "", ""});
  value = IsZeroTime(*moment) ? Value(nullptr) : Value(FormatTime(*moment, layout));
  return true;
}

bool TypedReader::ReadBytes(Value& value, const TypedType& type) {
  if (value.is_array()) return ReadByteArray(value);
  if (!value.is_string()) return NoteWrongType(GoKind(value), type.go_name);
  const auto bytes = DecodeBase64(value.get_ref<const std::string&>());
  if (!bytes) return Note({bytes.error(), "", ""});
  value = base::Base64Encode(*bytes);
  return true;
}

// Go reads a list of numbers into []byte too.
bool TypedReader::ReadByteArray(Value& value) {
  std::string bytes;
  for (const Value& item : value.get_ref<const Value::array_t&>()) {
    if (item.is_number_integer() && item.get<std::int64_t>() >= 0 && item.get<std::int64_t>() <= 255) {
      bytes += static_cast<char>(item.get<std::int64_t>());
    } else if (item.is_number()) {
      NoteWrongType(
          "number " + (item.is_number_float() ? LiteralOf(item.get<double>(), numbers_) : json::ToJson(item)),
          "uint8");
    } else if (item.is_null()) {
      bytes += '\0';
    } else {
      NoteWrongType(GoKind(item), "uint8");
    }
  }
  value = base::Base64Encode(bytes);
  return true;
}

}  // namespace annex::schema
