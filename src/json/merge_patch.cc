#include "annex/json/patch.h"

namespace annex::json {
namespace {

// Null in a merge patch means "remove", so nothing that a patch adds may contain it; items of arrays stay.
void DropNulls(Value& value) {
  if (value.is_object()) {
    auto& members = value.get_ref<Value::object_t&>();
    for (auto member = members.begin(); member != members.end();) {
      if (member->second.is_null()) {
        member = members.erase(member);
      } else {
        DropNulls(member->second);
        ++member;
      }
    }
  } else if (value.is_array()) {
    for (Value& item : value.get_ref<Value::array_t&>()) DropNulls(item);
  }
}

void Replace(Value& target, const Value& patch) {
  target = patch;
  DropNulls(target);
}

}  // namespace

void ApplyMergePatch(Value& target, const Value& patch) {
  if (!target.is_object() || !patch.is_object()) {
    Replace(target, patch);
    return;
  }
  for (const auto& [key, change] : patch.get_ref<const Value::object_t&>()) {
    if (change.is_null()) {
      target.erase(key);
      continue;
    }
    Value& member = target[key];
    if (!member.is_object()) {
      Replace(member, change);
    } else if (!change.is_object()) {
      // The one place where the library keeps the nulls of an array's objects.
      member = change;
    } else {
      ApplyMergePatch(member, change);
    }
  }
}

}  // namespace annex::json
