#include "correlated.h"

#include "annex/base/strings.h"
#include "compare.h"

#include <array>
#include <cstdio>

namespace annex::schema {
namespace {

using json::Value;

const Value& OrNull(const Value* value) {
  static const Value kNull;
  return value == nullptr ? kNull : *value;
}

// A key of several fields is a text in which doubles have six decimals: smaller differences do not count.
void AppendKeyPart(std::string& key, const Value& value) {
  key += '\0';
  if (value.is_number_float()) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), "%f", value.get<double>());
    key += text.data();
  } else if (value.is_string()) {
    key += base::Quote(value.get_ref<const std::string&>());
  } else {
    key += ValueKey(value);
  }
}

// The key of an item of a list-type map; none unless it is an object that has every key field with a scalar
// in it.
std::optional<std::string> KeyOf(const Value& item, const std::vector<std::string>& fields) {
  if (!item.is_object()) return std::nullopt;
  std::string key;
  for (const std::string& field : fields) {
    const Value* value = json::Find(item, field);
    if (value == nullptr || value->is_structured() || value->is_null()) return std::nullopt;
    if (fields.size() == 1) return ValueKey(*value);
    AppendKeyPart(key, *value);
  }
  return key;
}

}  // namespace

Correlated::Correlated(const Value& value, const Value* old_value, const Node& schema)
    : value_(value), old_value_(OrNull(old_value)), schema_(schema) {}

Correlated* Correlated::Key(std::string_view field) {
  if (const auto known = fields_.find(field); known != fields_.end()) return known->second.get();
  const Value* value = json::Find(value_, field);
  const Value* old_value = json::Find(old_value_, field);
  const Node* schema = schema_.Field(field);
  if (value == nullptr || old_value == nullptr || schema == nullptr) return nullptr;
  return fields_.emplace(field, std::make_unique<Correlated>(*value, old_value, *schema)).first->second.get();
}

const Value* Correlated::OldItem(const Value& item) {
  if (!old_items_) {
    old_items_.emplace();
    if (schema_.type == Type::kArray && !schema_.list_map_keys.empty()) {
      for (const Value& old_item : old_value_.get_ref<const Value::array_t&>()) {
        if (auto key = KeyOf(old_item, schema_.list_map_keys))
          old_items_->try_emplace(*std::move(key), &old_item);
      }
    }
  }
  const auto key = KeyOf(item, schema_.list_map_keys);
  if (!key) return nullptr;
  const auto found = old_items_->find(*key);
  return found == old_items_->end() ? nullptr : found->second;
}

Correlated* Correlated::Index(std::size_t index) {
  if (const auto known = items_.find(index); known != items_.end()) return known->second.get();
  if (schema_.list_type != ListType::kMap || !value_.is_array() || !old_value_.is_array()) return nullptr;
  const Value& item = value_.get_ref<const Value::array_t&>()[index];
  const Value* old_item = OldItem(item);
  if (old_item == nullptr || !schema_.items) return nullptr;
  return items_.emplace(index, std::make_unique<Correlated>(item, old_item, *schema_.items))
      .first->second.get();
}

bool Correlated::IsUnchanged() {
  if (!unchanged_) unchanged_ = Compare();
  return *unchanged_;
}

bool Correlated::Compare() {
  if (value_.is_array() && old_value_.is_array()) {
    return CompareItems(value_.get_ref<const Value::array_t&>(), old_value_.get_ref<const Value::array_t&>());
  }
  if (value_.is_object() && old_value_.is_object()) {
    return CompareMembers(value_.get_ref<const Value::object_t&>(),
                          old_value_.get_ref<const Value::object_t&>());
  }
  return IsSameValue(value_, old_value_);
}

bool Correlated::CompareItems(const Value::array_t& items, const Value::array_t& old_items) {
  if (items.size() != old_items.size()) return false;
  if (schema_.list_type != ListType::kMap) return IsSameValue(value_, old_value_);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Correlated* item = Index(i);
    if (item == nullptr || !item->IsUnchanged()) return false;
  }
  return true;
}

bool Correlated::CompareMembers(const Value::object_t& members, const Value::object_t& old_members) {
  if (members.size() != old_members.size()) return false;
  for (const auto& [name, member] : members) {
    Correlated* field = Key(name);
    if (field == nullptr || !field->IsUnchanged()) return false;
  }
  return true;
}

}  // namespace annex::schema
