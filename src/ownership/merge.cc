#include "list_items.h"
#include "shape.h"
#include "typed_value.h"

#include <algorithm>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

std::optional<Value> MergeAt(const Type& type, const Value* live, const Value* applied);

std::optional<Value> KeepApplied(const Value* live, const Value* applied) {
  if (applied != nullptr) return *applied;
  if (live != nullptr) return *live;
  return std::nullopt;
}

std::optional<Value> MergeMaps(const Type& type, const Value* live, const Value* applied) {
  const auto* left = MembersOf(live);
  const auto* right = MembersOf(applied);
  const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
  if (type.map->atomic || empty) return KeepApplied(live, applied);
  Value merged = Value::object();
  ZipMembers(left, right, [&](const std::string& key, const Value* old_value, const Value* new_value) {
    const Type* below = type.Below(key);
    if (below == nullptr) return;
    if (auto value = MergeAt(*below, old_value, new_value)) merged[key] = *std::move(value);
  });
  if (merged.empty()) return std::nullopt;
  return merged;
}

// Brings the items of two lists that are owned by item into one. Two cursors go through the lists: an item
// that only the live list has is put where the live cursor meets it, everything else where the applied list
// has it.
class ListMerger {
 public:
  ListMerger(const ListType& list, const Value::array_t* live, const Value::array_t* applied)
      : list_(list), live_(ElementsOf(list, live)), applied_(ElementsOf(list, applied)) {
    live_index_ = IndexOf(live_);
    applied_index_ = IndexOf(applied_);
    put_.resize(applied_.size(), false);
  }

  Value::array_t Run() && {
    SkipToShared();
    while (l_ < live_.size() || r_ < applied_.size()) Step();
    return std::move(merged_);
  }

 private:
  using Items = std::vector<ListItem>;
  using Index = std::vector<std::size_t>;  // places in a list, sorted by element

  static Index IndexOf(const Items& items) {
    Index index(items.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = i;
    std::stable_sort(index.begin(), index.end(),
                     [&items](std::size_t a, std::size_t b) { return items[a].element < items[b].element; });
    return index;
  }

  // The range of `index` with an element.
  static std::pair<Index::const_iterator, Index::const_iterator> Find(const Items& items, const Index& index,
                                                                      const PathElement& element) {
    const auto first =
        std::lower_bound(index.begin(), index.end(), element,
                         [&items](std::size_t i, const PathElement& e) { return items[i].element < e; });
    auto end = first;
    while (end != index.end() && items[*end].element == element) ++end;
    return {first, end};
  }

  std::optional<std::size_t> PlaceInApplied(const PathElement& element) const {
    const auto [first, end] = Find(applied_, applied_index_, element);
    if (first == end) return std::nullopt;
    return *first;
  }

  // The live item to merge an applied one with. One that occurs more than once is replaced.
  const Value* LiveTwin(const PathElement& element) const {
    static const Value kReplaced;
    const auto [first, end] = Find(live_, live_index_, element);
    if (first == end) return nullptr;
    return std::next(first) == end ? live_[*first].value : &kReplaced;
  }

  void Put(const Value* live, const Value* applied) {
    if (auto merged = MergeAt(*list_.items, live, applied)) merged_.push_back(*std::move(merged));
  }

  void PutApplied() {
    const ListItem& item = applied_[r_];
    put_[r_] = true;
    Put(LiveTwin(item.element), item.value);
    if (r_ == awaited_) {
      ++awaited_;
      SkipToShared();
    }
    ++r_;
  }

  // Moves `awaited_` to the next applied item that is in the live list, too.
  void SkipToShared() {
    while (awaited_ < applied_.size() && LiveTwin(applied_[awaited_].element) == nullptr) ++awaited_;
  }

  void Step() {
    if (l_ < live_.size()) {
      const auto place = PlaceInApplied(live_[l_].element);
      if (!place) {
        Put(live_[l_++].value, nullptr);
        return;
      }
      if (r_ < applied_.size()) {
        if (*place == r_) {
          ++l_;
          PutApplied();
          return;
        }
        // It comes, or came, where the applied list has it.
        if (awaited_ < applied_.size() && *place != awaited_) {
          ++l_;
          return;
        }
      }
      if (put_[*place]) ++l_;
    }
    if (r_ < applied_.size()) PutApplied();
  }

  const ListType& list_;
  const Items live_;
  const Items applied_;
  Index live_index_;
  Index applied_index_;
  std::vector<bool> put_;  // by place in `applied_`
  std::size_t l_ = 0;
  std::size_t r_ = 0;
  std::size_t awaited_ = 0;
  Value::array_t merged_;
};

std::optional<Value> MergeLists(const Type& type, const Value* live, const Value* applied) {
  const auto* left = ItemsOf(live);
  const auto* right = ItemsOf(applied);
  const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
  if (type.list->atomic || empty) return KeepApplied(live, applied);
  Value::array_t merged = ListMerger(*type.list, left, right).Run();
  if (merged.empty()) return std::nullopt;
  return Value(std::move(merged));
}

// Where the form changes, that of the applied value decides.
std::optional<Value> MergeAt(const Type& type, const Value* live, const Value* applied) {
  switch (ShapeOf(type, applied == nullptr ? live : applied).First()) {
    case Form::kMap:
      return MergeMaps(type, live, applied);
    case Form::kList:
      return MergeLists(type, live, applied);
    case Form::kScalar:
    case Form::kNone:
      break;
  }
  return KeepApplied(live, applied);
}

}  // namespace

Value Merge(const Type& type, const Value& live, const Value& applied) {
  return MergeAt(type, &live, &applied).value_or(nullptr);
}

}  // namespace annex::ownership
