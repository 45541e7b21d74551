#include "list_items.h"

#include "annex/base/strings.h"

#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

base::Result<PathElement> Refuse(std::string text) {
  return base::Error(base::Reason::kBadRequest, std::move(text));
}

base::Result<PathElement> SetElement(const Value& item) {
  if (item.is_object()) return Refuse("associative list without keys has an element that's a map type");
  if (item.is_array()) return Refuse("not supported: associative list with lists as elements");
  if (item.is_null()) return Refuse("associative list without keys has an element that's an explicit null");
  return PathElement::Item(item);
}

// ["a" "b"]
std::string Quoted(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back(base::Quote(name));
  return "[" + base::Join(quoted, " ") + "]";
}

}  // namespace

base::Result<PathElement> ElementOf(const ListType& list, const Value& item) {
  if (list.keys.empty()) return SetElement(item);
  if (item.is_null()) return Refuse("associative list with keys may not have a null element");
  if (!item.is_object()) return Refuse("associative list with keys may not have non-map elements");
  Value fields = Value::object();
  for (const std::string& key : list.keys) {
    if (const Value* given = json::Find(item, key)) {
      fields[key] = *given;
    } else if (const MapField* field = list.items->FindField(key); field != nullptr && field->default_value) {
      fields[key] = *field->default_value;
    }
  }
  if (fields.empty()) {
    return Refuse("associative list with keys has an element that omits all key fields " + Quoted(list.keys) +
                  " (and doesn't have default values for any key fields)");
  }
  return PathElement::Key(std::move(fields));
}

std::vector<ListItem> ElementsOf(const ListType& list, const Value::array_t* items) {
  std::vector<ListItem> elements;
  if (items == nullptr) return elements;
  elements.reserve(items->size());
  for (const Value& item : *items) {
    if (auto element = ElementOf(list, item)) elements.push_back({*std::move(element), &item});
  }
  return elements;
}

}  // namespace annex::ownership
