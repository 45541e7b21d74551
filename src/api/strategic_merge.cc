#include "strategic_merge.h"

#include "annex/json/write.h"
#include "status_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

// The path of a member of the object at `path`.
std::string Inside(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

auto Failure(std::string message) {
  return base::Error(BadRequest(std::move(message)));
}

bool Contains(const Value& list, const Value& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// A value as Go's %v prints it: map[a:1 b:[x y]].
std::string GoText(const Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return json::ToJson(value);
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ' ';
    if (value.is_object()) text.append(key).append(":");
    text += GoText(member);
  }
  return (value.is_object() ? "map[" : "[") + text + "]";
}

base::Result<std::string> DirectiveOf(const Value& patch) {
  const Value* directive = json::Find(patch, std::string(kDirective));
  if (directive == nullptr) return std::string();
  if (*directive == "delete" || *directive == "replace" || *directive == "merge")
    return directive->get<std::string>();
  return base::Error(Unspecified("unknown patch type: " + GoText(*directive) + " in map: " + GoText(patch)));
}

class Merger {
 public:
  explicit Merger(const std::vector<MergedList>& lists) : lists_(lists) {}

  base::Result<void> MergeObject(Value& object, const Value& patch, const std::string& path);

 private:
  base::Result<void> MergeMember(Value& object, const std::string& name, const Value& patch,
                                 const std::string& path);
  base::Result<void> MergeList(Value& list, const Value& patch, const MergedList& rule,
                               const std::string& path);
  base::Result<void> MergeItem(Value& list, const Value& item, const MergedList& rule,
                               const std::string& path);

  const MergedList* RuleFor(const std::string& path) const {
    const auto found =
        std::find_if(lists_.begin(), lists_.end(), [&](const MergedList& list) { return list.path == path; });
    return found == lists_.end() ? nullptr : &*found;
  }

  const std::vector<MergedList>& lists_;
};

// What tells an item of the list from others: itself, or its member.
const Value& Identity(const Value& item, const MergedList& rule) {
  static const Value kNone;
  if (rule.key.empty()) return item;
  const Value* key = json::Find(item, rule.key);
  return key == nullptr ? kNone : *key;
}

std::size_t PositionOf(const Value& list, const Value& identity, const MergedList& rule) {
  std::size_t position = 0;
  while (position < list.size() && Identity(list[position], rule) != identity) ++position;
  return position;
}

// "$retainKeys": members that are not named go.
base::Result<void> RetainKeys(Value& object, const Value& patch) {
  const Value* keys = json::Find(patch, std::string(kRetainKeys));
  if (keys == nullptr) return {};
  if (!keys->is_array()) return Failure("invalid patch format of retainKeys");
  for (const auto& [name, member] : patch.get_ref<const Value::object_t&>()) {
    if (!name.starts_with('$') && !member.is_null() && !Contains(*keys, name))
      return Failure("invalid patch format of retainKeys");
  }
  auto& members = object.get_ref<Value::object_t&>();
  for (auto member = members.begin(); member != members.end();) {
    member = Contains(*keys, member->first) ? std::next(member) : members.erase(member);
  }
  return {};
}

// A value that is new keeps no directives and no nulls: both only make sense where there is something
// already.
Value WithoutDirectives(const Value& patch) {
  if (!patch.is_object()) return patch;
  Value value = Value::object();
  for (const auto& [name, member] : patch.get_ref<const Value::object_t&>()) {
    if (!name.starts_with('$') && !member.is_null()) value[name] = WithoutDirectives(member);
  }
  return value;
}

// Puts the items that `wanted` names into its order. The others, which only the server knows, keep their
// order and go before the first item that came after them in the list as it was `before`.
void Arrange(Value& list, const Value& before, const Value& wanted, const MergedList& rule) {
  const auto rank = [&](const Value& item) { return PositionOf(wanted, Identity(item, rule), rule); };
  Value::array_t named;
  Value::array_t others;
  for (Value& item : list.get_ref<Value::array_t&>())
    (rank(item) < wanted.size() ? named : others).push_back(std::move(item));
  std::stable_sort(named.begin(), named.end(),
                   [&](const Value& a, const Value& b) { return rank(a) < rank(b); });
  std::size_t place = 0;
  for (Value& item : others) {
    const std::size_t old_place = PositionOf(before, Identity(item, rule), rule);
    const auto comes_later = [&](const Value& other) {
      const std::size_t other_place = PositionOf(before, Identity(other, rule), rule);
      return other_place < before.size() && old_place < before.size() && other_place > old_place;
    };
    while (place < named.size() && !comes_later(named[place])) ++place;
    named.insert(named.begin() + static_cast<std::ptrdiff_t>(place), std::move(item));
    ++place;
  }
  list = std::move(named);
}

base::Result<void> Merger::MergeObject(Value& object, const Value& patch, const std::string& path) {
  ANNEX_TRY(const std::string directive, DirectiveOf(patch));
  if (directive == "replace") {
    object = WithoutDirectives(patch);
    return {};
  }
  if (directive == "delete") {
    object = Value::object();
    return {};
  }
  ANNEX_RETURN_IF_ERROR(RetainKeys(object, patch));
  const bool arranges = std::any_of(patch.items().begin(), patch.items().end(), [](const auto& member) {
    return member.key().starts_with(kElementOrder);
  });
  const Value before = arranges ? object : Value();
  for (const auto& [name, member] : patch.get_ref<const Value::object_t&>()) {
    if (!name.starts_with('$')) ANNEX_RETURN_IF_ERROR(MergeMember(object, name, member, Inside(path, name)));
  }
  for (const auto& [name, member] : patch.get_ref<const Value::object_t&>()) {
    if (!name.starts_with(kDeleteFromList)) continue;
    Value* list = json::Find(object, name.substr(kDeleteFromList.size()));
    if (list == nullptr || !list->is_array() || !member.is_array()) continue;
    auto& items = list->get_ref<Value::array_t&>();
    items.erase(
        std::remove_if(items.begin(), items.end(), [&](const Value& item) { return Contains(member, item); }),
        items.end());
  }
  for (const auto& [name, member] : patch.get_ref<const Value::object_t&>()) {
    if (!name.starts_with(kElementOrder)) continue;
    const std::string list_name = name.substr(kElementOrder.size());
    const MergedList* rule = RuleFor(Inside(path, list_name));
    Value* list = json::Find(object, list_name);
    if (rule == nullptr || list == nullptr || !list->is_array() || !member.is_array()) continue;
    const Value* old_list = json::Find(before, list_name);
    Arrange(*list, old_list == nullptr ? Value::array() : *old_list, member, *rule);
  }
  return {};
}

base::Result<void> Merger::MergeMember(Value& object, const std::string& name, const Value& patch,
                                       const std::string& path) {
  if (patch.is_null()) {
    object.erase(name);
    return {};
  }
  Value* present = json::Find(object, name);
  const MergedList* rule = RuleFor(path);
  if (patch.is_object() && present != nullptr && present->is_object())
    return MergeObject(*present, patch, path);
  if (patch.is_array() && rule != nullptr) {
    Value& list = object[name];
    if (!list.is_array()) list = Value::array();
    return MergeList(list, patch, *rule, path);
  }
  object[name] = WithoutDirectives(patch);
  return {};
}

base::Result<void> Merger::MergeList(Value& list, const Value& patch, const MergedList& rule,
                                     const std::string& path) {
  for (const Value& item : patch) {
    if (item.is_object() != !rule.key.empty()) return Failure("invalid list of " + path + " in the patch");
    if (rule.key.empty()) continue;
    ANNEX_TRY(const std::string directive, DirectiveOf(item));
    if (directive == "replace") list = Value::array();
  }
  for (const Value& item : patch) ANNEX_RETURN_IF_ERROR(MergeItem(list, item, rule, path));
  return {};
}

base::Result<void> Merger::MergeItem(Value& list, const Value& item, const MergedList& rule,
                                     const std::string& path) {
  if (rule.key.empty()) {
    if (!Contains(list, item)) list.push_back(item);
    return {};
  }
  ANNEX_TRY(const std::string directive, DirectiveOf(item));
  const Value& identity = Identity(item, rule);
  if (identity.is_null()) {
    // {"$patch":"replace"} alone stands for the whole list.
    if (directive == "replace") return {};
    return Failure("map: " + json::ToJson(item) + " does not contain declared merge key: " + rule.key);
  }
  const std::size_t position = PositionOf(list, identity, rule);
  if (directive == "delete") {
    if (position < list.size()) list.erase(position);
    return {};
  }
  if (position < list.size() && directive != "replace") return MergeObject(list[position], item, path);
  list.push_back(WithoutDirectives(item));
  return {};
}

}  // namespace

base::Result<void> ApplyStrategicMergePatch(Value& object, const Value& patch,
                                            const std::vector<MergedList>& lists) {
  return Merger(lists).MergeObject(object, patch, "");
}

}  // namespace annex::api
