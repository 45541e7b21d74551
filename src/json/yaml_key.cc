#include "yaml_key.h"

#include "annex/base/strings.h"
#include "annex/json/float_text.h"

#include <cmath>
#include <utility>

namespace annex::json {
namespace {

// Go prints whole values into its messages, however large.
constexpr std::size_t kMaxShownValue = 1U << 16U;

void AppendGoValue(std::string& out, const Value& value, bool keys_shown) {
  if (out.size() > kMaxShownValue) return;
  if (value.is_object()) {
    out += "map[interface {}]interface {}{";
    const char* separator = "";
    for (const auto& [key, member] : value.get_ref<const Value::object_t&>()) {
      out.append(std::exchange(separator, ", ")).append(keys_shown ? key : base::Quote(key)).append(":");
      AppendGoValue(out, member, keys_shown);
    }
    out += '}';
  } else if (value.is_array()) {
    out += "[]interface {}{";
    const char* separator = "";
    for (const Value& item : value.get_ref<const Value::array_t&>()) {
      out += std::exchange(separator, ", ");
      AppendGoValue(out, item, keys_shown);
    }
    out += '}';
  } else if (value.is_string()) {
    out += base::Quote(value.get_ref<const std::string&>());
  } else if (value.is_number_integer()) {
    out += std::to_string(value.get<std::int64_t>());
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (std::isfinite(number)) {
      AppendFloat(out, number);
    } else {
      out += NonFiniteName(number);
    }
  } else if (value.is_boolean()) {
    out += value.get<bool>() ? "true" : "false";
  } else {
    out += "interface {}(nil)";
  }
}

std::string Hex(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (unsigned shift = 64; shift > 0; shift -= 4) text += kDigits[(number >> (shift - 4)) & 0xFU];
  return text;
}

YamlKey FloatKey(double number) {
  YamlKey key;
  key.type = 'f';
  if (!std::isfinite(number)) {
    key.shown = NonFiniteName(number);
    key.name = std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
    return key;
  }
  AppendFloat(key.shown, number);
  const auto narrow = static_cast<float>(number);
  if (std::isfinite(narrow)) {
    AppendFloat32(key.name, narrow);
  } else {
    key.name = narrow > 0 ? ".inf" : "-.inf";
  }
  return key;
}

}  // namespace

std::string_view NonFiniteName(double number) {
  if (std::isnan(number)) return "NaN";
  return number > 0 ? "+Inf" : "-Inf";
}

std::string YamlKey::Shown() const {
  return type == 's' ? base::Quote(name) : shown;
}

std::string ShowGoValue(const Value& value, bool keys_shown) {
  if (value.is_null()) return "<nil>";
  std::string shown;
  AppendGoValue(shown, value, keys_shown);
  return shown;
}

YamlKey MakeYamlKey(const YamlScalar& scalar, std::string_view text) {
  using Type = YamlScalar::Type;
  const auto same = [](const std::string& shown, char type) { return YamlKey{shown, shown, type, {}}; };
  switch (scalar.type) {
    case Type::kNull:
      return {{}, "interface {}(nil)", 'n', "unsupported map key of type: %!s(<nil>), key: <nil>, value: "};
    case Type::kBoolean:
      return same(scalar.boolean ? "true" : "false", 'b');
    case Type::kInteger:
      return same(std::to_string(scalar.integer), 'i');
    case Type::kUnsigned: {
      YamlKey key = same(Hex(scalar.unsigned_integer), 'u');
      key.problem = "unsupported map key of type: uint64, key: " + key.shown + ", value: ";
      return key;
    }
    case Type::kFloat:
      return FloatKey(scalar.number);
    case Type::kTimestamp:
    case Type::kString:
      break;
  }
  return {std::string(text), {}, 's', {}};
}

}  // namespace annex::json
