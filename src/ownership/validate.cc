#include "annex/base/strings.h"
#include "annex/json/field_error.h"
#include "list_items.h"
#include "shape.h"
#include "typed_value.h"

#include <set>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

// Values as Go's %v prints them: texts bare, maps and lists in brackets.
std::string GoText(const Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (value.is_array()) {
    for (const Value& item : value) text += (text.empty() ? "" : " ") + GoText(item);
    return "[" + text + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      text += (text.empty() ? "" : " ") + key + ":" + GoText(member);
    return "map[" + text + "]";
  }
  return json::ShowValue(value);
}

// Values as Go's %#v prints them: with types.
std::string GoSyntax(const Value& value) {
  if (value.is_null()) return "interface {}(nil)";
  std::string text;
  if (value.is_array()) {
    for (const Value& item : value) text += (text.empty() ? "" : ", ") + GoSyntax(item);
    return "[]interface {}{" + text + "}";
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      text += (text.empty() ? "" : ", ") + base::Quote(key) + ":" + GoSyntax(member);
    return "map[string]interface {}{" + text + "}";
  }
  return json::ShowValue(value);
}

std::string_view GoType(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  return value.is_array() ? "[]interface {}" : "map[string]interface {}";
}

// What is wrong with a scalar; "" for nothing.
std::string ScalarProblem(Type::Scalar scalar, const Value& value) {
  if (value.is_null()) return "";
  switch (scalar) {
    case Type::Scalar::kNumeric:
      if (value.is_number()) return "";
      return "expected numeric (int or float), got " + std::string(GoType(value));
    case Type::Scalar::kText:
      if (value.is_string()) return "";
      return "expected string, got &value.valueUnstructured{Value:" + GoSyntax(value) + "}";
    case Type::Scalar::kBoolean:
      if (value.is_boolean()) return "";
      return "expected boolean, got &{" + GoText(value) + "}";
    case Type::Scalar::kAny:
    case Type::Scalar::kNone:
      break;
  }
  return value.is_structured() ? "expected any scalar, got &{" + GoText(value) + "}" : "";
}

// Paths are put before texts on the way out: most walks find nothing.
class Validator {
 public:
  explicit Validator(Duplicates duplicates) : duplicates_(duplicates) {}

  void Walk(const Type& type, const Value& value) {
    switch (ShapeOf(type, &value).First()) {
      case Form::kMap:
        WalkMap(type, value);
        return;
      case Form::kScalar:
        Report(ScalarProblem(type.scalar, value));
        return;
      case Form::kList:
        WalkList(*type.list, value);
        return;
      case Form::kNone:
        Report("schema error: invalid atom: inlined");
        return;
    }
  }

  // ".path: text"
  std::vector<std::string> TakeErrors() {
    std::vector<std::string> texts;
    texts.reserve(errors_.size());
    for (Error& error : errors_)
      texts.push_back(error.path.empty() ? error.text : error.path + ": " + error.text);
    return texts;
  }

 private:
  struct Error {
    std::string path;
    std::string text;
  };

  void Report(std::string text) {
    if (!text.empty()) errors_.push_back({{}, std::move(text)});
  }

  template <typename MakePrefix>
  void WalkBelow(const Type& type, const Value& value, MakePrefix prefix) {
    const std::size_t before = errors_.size();
    Walk(type, value);
    for (std::size_t i = before; i < errors_.size(); ++i) errors_[i].path.insert(0, prefix());
  }

  void WalkMap(const Type& type, const Value& value) {
    if (value.is_null()) return;
    const auto* members = MembersOf(&value);
    if (members == nullptr) return Report("expected map, got &{" + GoText(value) + "}");
    for (const auto& [key, member] : *members) {
      const Type* below = type.Below(key);
      if (below == nullptr) {
        errors_.push_back({"." + key, "field not declared in schema"});
        return;
      }
      WalkBelow(*below, member, [&name = key] { return "." + name; });
    }
  }

  void WalkList(const ListType& list, const Value& value) {
    if (value.is_null()) return;
    const auto* items = ItemsOf(&value);
    if (items == nullptr) return Report("expected list, got &{" + GoText(value) + "}");
    std::set<PathElement> seen;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Value& item = (*items)[i];
      if (list.atomic) {
        WalkBelow(*list.items, item, [i] { return "[" + std::to_string(i) + "]"; });
        continue;
      }
      auto element = ElementOf(list, item);
      if (!element) return Report("element " + std::to_string(i) + ": " + element.error().message);
      const auto [place, added] = seen.insert(*std::move(element));
      if (!added && duplicates_ == Duplicates::kRefuse) Report("duplicate entries for key " + place->Text());
      WalkBelow(*list.items, item, [&key = *place] { return key.Text(); });
    }
  }

  const Duplicates duplicates_;
  std::vector<Error> errors_;
};

}  // namespace

std::vector<std::string> Validate(const Type& type, const Value& value, Duplicates duplicates) {
  Validator validator(duplicates);
  validator.Walk(type, value);
  return validator.TakeErrors();
}

std::string ValidationText(const Type& type, const Value& value, Duplicates duplicates) {
  const std::vector<std::string> errors = Validate(type, value, duplicates);
  if (errors.empty()) return "";
  return errors.size() == 1 ? errors[0] : "errors:\n  " + base::Join(errors, "\n  ");
}

}  // namespace annex::ownership
