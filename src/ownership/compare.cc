#include "list_items.h"
#include "shape.h"
#include "typed_value.h"

#include <algorithm>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

// How a value differs: itself, and what lies below it.
struct Outcome {
  bool removed = false;
  bool modified = false;
  bool added = false;
  Comparison below;

  bool IsSame() const { return !removed && !modified && !added && below.IsSame(); }
  void Append(PathElement element, Outcome outcome) {
    if (outcome.IsSame()) return;
    below.removed.Append(element, outcome.removed, std::move(outcome.below.removed));
    below.modified.Append(element, outcome.modified, std::move(outcome.below.modified));
    below.added.Append(std::move(element), outcome.added, std::move(outcome.below.added));
  }
};

// Compares one place. Either side may be nullptr: there is nothing there.
class Comparer {
 public:
  static Outcome Run(const Type& type, const Value* before, const Value* after) {
    Comparer comparer(type, before, after);
    comparer.Walk();
    return std::move(comparer.outcome_);
  }

 private:
  Comparer(const Type& type, const Value* before, const Value* after)
      : type_(type), before_(before), after_(after) {}

  void Walk() {
    const Shape old_shape = ShapeOf(type_, before_);
    const Shape new_shape = ShapeOf(type_, after_);
    bool whole = false;
    if (after_ == nullptr) {
      whole = Go(old_shape.First());
    } else if (before_ == nullptr || old_shape == new_shape) {
      whole = Go(new_shape.First());
    } else {
      // It changed its form: what was there by one form's rules is gone, what is there by the other's is new.
      Go(old_shape.First());
      whole = Go(new_shape.First());
    }
    if (whole) return;
    if (before_ == nullptr) outcome_.added = true;
    if (after_ == nullptr) outcome_.removed = true;
  }

  // Whether the place was compared as a whole.
  bool Go(Form form) {
    switch (form) {
      case Form::kMap:
        return GoMap();
      case Form::kList:
        return GoList();
      case Form::kScalar:
      case Form::kNone:
        break;
    }
    return CompareWhole();
  }

  bool CompareWhole() {
    if (before_ == nullptr) {
      outcome_.added = true;
    } else if (after_ == nullptr) {
      outcome_.removed = true;
    } else if (*before_ != *after_) {
      outcome_.modified = true;
    }
    return true;
  }

  bool GoMap() {
    const auto* left = MembersOf(before_);
    const auto* right = MembersOf(after_);
    // Nothing on either side: the difference between null and {} is one of the place itself.
    const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (type_.map->atomic || empty) return CompareWhole();
    ZipMembers(left, right, [this](const std::string& key, const Value* before, const Value* after) {
      const Type* below = type_.Below(key);
      if (below == nullptr) return;
      Outcome outcome = Run(*below, before, after);
      if (!outcome.IsSame()) outcome_.Append(PathElement::Field(key), std::move(outcome));
    });
    return false;
  }

  bool GoList() {
    const auto* left = ItemsOf(before_);
    const auto* right = ItemsOf(after_);
    const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (type_.list->atomic || empty) return CompareWhole();
    CompareItems(ElementsOf(*type_.list, left), ElementsOf(*type_.list, right));
    return false;
  }

  using Items = std::vector<ListItem>;

  // The values of the items from `from` on that have its element; moves `from` behind them.
  static std::vector<const Value*> TakeSame(const Items& items, const PathElement& element,
                                            Items::const_iterator& from) {
    std::vector<const Value*> values;
    for (; from != items.end() && from->element == element; ++from) values.push_back(from->value);
    return values;
  }

  void CompareItems(Items before, Items after) {
    const auto by_element = [](const ListItem& a, const ListItem& b) { return a.element < b.element; };
    std::stable_sort(before.begin(), before.end(), by_element);
    std::stable_sort(after.begin(), after.end(), by_element);
    auto l = before.cbegin();
    auto r = after.cbegin();
    while (l != before.cend() || r != after.cend()) {
      const bool left_first = r == after.cend() || (l != before.cend() && l->element < r->element);
      const PathElement element = left_first ? l->element : r->element;
      const auto old_values = TakeSame(before, element, l);
      const auto new_values = TakeSame(after, element, r);
      outcome_.Append(element, CompareSame(old_values, new_values));
    }
  }

  // Items that occur more than once are one thing, which is not looked into.
  Outcome CompareSame(const std::vector<const Value*>& before, const std::vector<const Value*>& after) const {
    const bool repeated_before = before.size() > 1;
    const bool repeated_after = after.size() > 1;
    const Value* old_value = before.empty() ? nullptr : before[0];
    const Value* new_value = after.empty() ? nullptr : after[0];
    const Type& type = *type_.list->items;
    if (!repeated_before && !repeated_after) return Run(type, old_value, new_value);
    Outcome outcome;
    if (repeated_before && repeated_after) {
      const bool same = std::equal(before.begin(), before.end(), after.begin(), after.end(),
                                   [](const Value* a, const Value* b) { return *a == *b; });
      outcome.modified = !same;
    } else if (repeated_before) {
      // They are gone as one thing; the one that is left, if any, is new.
      if (new_value != nullptr) outcome = Run(type, nullptr, new_value);
      outcome.removed = true;
    } else {
      if (old_value != nullptr) outcome = Run(type, old_value, nullptr);
      outcome.added = true;
    }
    return outcome;
  }

  const Type& type_;
  const Value* const before_;
  const Value* const after_;
  Outcome outcome_;
};

}  // namespace

Comparison Compare(const Type& type, const Value& before, const Value& after) {
  return Comparer::Run(type, &before, &after).below;
}

}  // namespace annex::ownership
