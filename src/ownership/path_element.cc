#include "annex/ownership/path_element.h"

#include "annex/base/strings.h"
#include "annex/json/field_error.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

namespace annex::ownership {
namespace {

using json::Value;

// What Value::type has two numbers for counts as one: 1 and 1.0 are the same item.
int RankOf(const Value& value) {
  if (value.is_number()) return 0;
  if (value.is_string()) return 1;
  if (value.is_boolean()) return 2;
  if (value.is_array()) return 3;
  return value.is_object() ? 4 : 5;
}

int CompareValues(const Value& a, const Value& b) {
  if (const int difference = RankOf(a) - RankOf(b); difference != 0) return difference;
  if (a.is_string()) return a.get_ref<const std::string&>().compare(b.get_ref<const std::string&>());
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

// Key fields in order: the first name or value that differs decides, then the number of fields.
int CompareKeys(const Value::object_t& a, const Value::object_t& b) {
  auto left = a.begin();
  auto right = b.begin();
  for (; left != a.end() && right != b.end(); ++left, ++right) {
    if (const int names = left->first.compare(right->first); names != 0) return names;
    if (const int values = CompareValues(left->second, right->second); values != 0) return values;
  }
  return (left != a.end() ? 1 : 0) - (right != b.end() ? 1 : 0);
}

void MakeNumbersFloat(Value& value) {
  if (value.is_number_integer()) {
    value = static_cast<double>(value.get<std::int64_t>());
  } else if (value.is_structured()) {
    for (Value& inner : value) MakeNumbersFloat(inner);
  }
}

std::string TextOf(const Value& value) {
  if (value.is_array()) {
    std::string text = "[";
    for (const Value& item : value) text += (text.size() > 1 ? "," : "") + TextOf(item);
    return text + "]";
  }
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, member] : value.items()) text += key + "=" + TextOf(member);
    return text;
  }
  return json::ShowValue(value);
}

base::Result<Value> ParseValue(std::string_view text) {
  ANNEX_TRY(Value value, json::Parse(text));
  MakeNumbersFloat(value);
  return value;
}

}  // namespace

PathElement PathElement::Field(std::string name) {
  return {Kind::kField, std::move(name), nullptr};
}
PathElement PathElement::Key(Value fields) {
  return {Kind::kKey, {}, std::move(fields)};
}
PathElement PathElement::Item(Value value) {
  return {Kind::kItem, {}, std::move(value)};
}
PathElement PathElement::Index(std::int64_t index) {
  return {Kind::kIndex, {}, index};
}

base::Result<std::optional<PathElement>> PathElement::Parse(std::string_view text) {
  if (text.size() < 2) return base::Error(base::Reason::kBadRequest, "key must be 2 characters long:");
  if (text[1] != ':') return base::Error(base::Reason::kBadRequest, "missing colon: " + std::string(text));
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return Field(std::string(rest));
    case 'k': {
      ANNEX_TRY(Value fields, ParseValue(rest));
      if (!fields.is_object()) return base::Error(base::Reason::kBadRequest, "a key is no object");
      return Key(std::move(fields));
    }
    case 'v': {
      ANNEX_TRY(Value value, ParseValue(rest));
      return Item(std::move(value));
    }
    case 'i': {
      const auto index = base::ParseInt64(rest);
      if (!index) return base::Error(base::Reason::kBadRequest, "an index is no number");
      return Index(*index);
    }
    default:
      return std::optional<PathElement>();
  }
}

std::string PathElement::Serialize() const {
  switch (kind_) {
    case Kind::kField:
      return "f:" + name_;
    case Kind::kKey:
      return "k:" + json::ToJson(value_);
    case Kind::kItem:
      return "v:" + json::ToJson(value_);
    case Kind::kIndex:
      return "i:" + json::ToJson(value_);
  }
  return {};
}

std::string PathElement::Text() const {
  switch (kind_) {
    case Kind::kField:
      return "." + name_;
    case Kind::kKey: {
      std::string text = "[";
      for (const auto& [name, value] : value_.items())
        text += (text.size() > 1 ? "," : "") + name + "=" + TextOf(value);
      return text + "]";
    }
    case Kind::kItem:
      return "[=" + TextOf(value_) + "]";
    case Kind::kIndex:
      return "[" + TextOf(value_) + "]";
  }
  return {};
}

int PathElement::Compare(const PathElement& other) const {
  if (kind_ != other.kind_) return kind_ < other.kind_ ? -1 : 1;
  if (kind_ == Kind::kField) return name_.compare(other.name_);
  if (kind_ == Kind::kKey) {
    return CompareKeys(value_.get_ref<const Value::object_t&>(),
                       other.value_.get_ref<const Value::object_t&>());
  }
  return CompareValues(value_, other.value_);
}

}  // namespace annex::ownership
