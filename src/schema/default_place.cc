#include "annex/schema/default_place.h"

#include <string>
#include <utility>

namespace annex::schema {

using json::Value;

Value DefaultPlace::Around(Value value) const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    Value outer = *step ? Value::object() : Value::array();
    if (*step) {
      outer.emplace(std::string(**step), std::move(value));
    } else {
      outer.push_back(std::move(value));
    }
    value = std::move(outer);
  }
  return value;
}

Value* DefaultPlace::Find(Value& around) const {
  Value* at = &around;
  for (const Step& step : steps_) {
    if (step) {
      at = json::Find(*at, *step);
    } else {
      at = at->is_array() && !at->empty() ? &at->front() : nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

}  // namespace annex::schema
