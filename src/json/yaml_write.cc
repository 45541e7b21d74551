// Writing YAML as go-yaml v2 does: the decisions of libyaml's emitter, on a value that is known as a whole.
#include "annex/base/strings.h"
#include "annex/json/float_text.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "yaml_emitter.h"
#include "yaml_key_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {
namespace {

std::string NumberText(double number) {
  constexpr double kFirstExponent = 1e21;  // from here on JSON has an exponent, which YAML takes for a float
  std::string text;
  if (!std::isfinite(number)) return "null";
  if (std::trunc(number) == number && std::fabs(number) < kFirstExponent) {
    AppendFloatDigits(text, number == 0 ? 0.0 : number);
    if (base::ParseInt64(text) || base::ParseUint64(text)) return text;
    text.clear();
  }
  AppendFloat(text, number);
  return text;
}

class Writer {
 public:
  std::string Write(const Value& value) {
    WriteNode(value, YamlEmitter::Context::kRoot, 0);
    emitter_.Finish();
    return std::move(emitter_.Text());
  }

 private:
  using Context = YamlEmitter::Context;
  using Member = Value::object_t::value_type;

  void WriteNode(const Value& value, Context context, std::size_t depth) {
    if (value.is_string()) {
      emitter_.WriteString(value.get_ref<const std::string&>());
    } else if (!value.is_structured()) {
      emitter_.WritePlain(ScalarText(value));
    } else if (value.empty()) {
      emitter_.WriteFlow(value.is_object() ? "{}" : "[]");
    } else if (depth >= kMaxYamlBlockDepth || !emitter_.Fits(value.size())) {
      emitter_.WriteFlow(ToJson(value));
    } else if (value.is_object()) {
      WriteMapping(value.get_ref<const Value::object_t&>(), depth);
    } else {
      WriteSequence(value.get_ref<const Value::array_t&>(), context, depth);
    }
  }

  static std::string ScalarText(const Value& value) {
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number_float()) return NumberText(value.get<double>());
    if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
    return "null";
  }

  void WriteMapping(const Value::object_t& members, std::size_t depth) {
    std::vector<const Member*> sorted;
    sorted.reserve(members.size());
    for (const Member& member : members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Member* a, const Member* b) { return YamlKeyLess(a->first, b->first); });
    const int outer = emitter_.IndentMapping();
    for (const Member* member : sorted) {
      emitter_.WriteKey(member->first);
      WriteNode(member->second, Context::kMapping, depth + 1);
    }
    emitter_.Unindent(outer);
  }

  void WriteSequence(const Value::array_t& items, Context context, std::size_t depth) {
    const int outer = emitter_.IndentSequence(context);
    for (const Value& item : items) {
      emitter_.WriteDash();
      WriteNode(item, Context::kSequence, depth + 1);
    }
    emitter_.Unindent(outer);
  }

  YamlEmitter emitter_;
};

}  // namespace

std::string ToYaml(const Value& value) {
  return Writer().Write(value);
}

}  // namespace annex::json
