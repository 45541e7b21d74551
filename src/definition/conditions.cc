#include "annex/definition/conditions.h"

#include <algorithm>

namespace annex::definition {

using json::Value;

bool SetCondition(Value& definition, const Condition& condition, const std::string& now) {
  Value& conditions = definition["status"]["conditions"];
  if (!conditions.is_array()) conditions = Value::array();
  auto& items = conditions.get_ref<Value::array_t&>();
  const auto found = std::find_if(items.begin(), items.end(), [&](const Value& item) {
    return json::TextAt(item, {"type"}) == condition.type;
  });
  Value entry = {{"lastTransitionTime", now},
                 {"message", condition.message},
                 {"reason", condition.reason},
                 {"status", condition.status},
                 {"type", condition.type}};
  if (found == items.end()) {
    items.push_back(std::move(entry));
    return true;
  }
  if (json::TextAt(*found, {"status"}) == condition.status)
    entry["lastTransitionTime"] = json::TextAt(*found, {"lastTransitionTime"});
  if (*found == entry) return false;
  *found = std::move(entry);
  return true;
}

bool ConditionIsTrue(const Value& definition, std::string_view type) {
  const auto& conditions = json::ItemsAt(definition, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [type](const Value& condition) {
    return json::TextAt(condition, {"type"}) == type && json::TextAt(condition, {"status"}) == "True";
  });
}

}  // namespace annex::definition
