#include "store_model.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace annex::test {
namespace {

using selector::KeyCondition;
using selector::Operator;
using selector::TermCondition;

// Whole text as a number of at most 18 digits.
std::optional<long long> NumberOf(const std::string& text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  if (text.size() == begin || text.size() > 18 + begin) return std::nullopt;
  if (text.find_first_not_of("0123456789", begin) != std::string::npos) return std::nullopt;
  return std::atoll(text.c_str());
}

bool TermHolds(const TermCondition& condition, const std::map<std::string, std::string>& terms) {
  const auto term = terms.find(condition.name);
  const bool exists = term != terms.end();
  const bool listed =
      exists && std::count(condition.values.begin(), condition.values.end(), term->second) > 0;
  switch (condition.op) {
    case Operator::kIn:
      return listed;
    case Operator::kNotIn:
      return !listed;
    case Operator::kExists:
      return exists;
    case Operator::kNotExists:
      return !exists;
    case Operator::kGreater:
    case Operator::kLess:
      break;
  }
  if (!exists) return false;
  const auto left = NumberOf(term->second);
  const auto right = NumberOf(condition.values.at(0));
  if (!left || !right) return false;
  return condition.op == Operator::kGreater ? *left > *right : *left < *right;
}

bool KeyHolds(const KeyCondition& condition, const std::string& key) {
  const auto slash = key.find('/');
  const std::string ns = slash == std::string::npos ? "" : key.substr(0, slash);
  const std::string name = slash == std::string::npos ? key : key.substr(slash + 1);
  return ((condition.part == KeyCondition::Part::kName ? name : ns) == condition.value) == condition.equal;
}

}  // namespace

void StoreModel::Apply(store::CollectionId collection, const std::string& key, store::Revision revision,
                       bool exists, const std::string& body,
                       const std::map<std::string, std::string>& terms) {
  Objects objects = Newest(collection);
  Change change{revision, collection, key, nullptr, nullptr};
  if (const auto before = objects.find(key); before != objects.end()) change.before = before->second;
  if (exists) {
    change.after = std::make_shared<const State>(State{revision, body, terms});
    objects[key] = change.after;
  } else {
    objects.erase(key);
  }
  states_[collection][revision] = std::move(objects);
  changes_.push_back(std::move(change));
  newest_ = revision;
}

void StoreModel::Drop(store::CollectionId collection) {
  states_.erase(collection);
  std::erase_if(changes_, [collection](const Change& change) { return change.collection == collection; });
}

const StoreModel::Objects& StoreModel::At(store::CollectionId collection, store::Revision revision) const {
  static const Objects kNone;
  const auto states = states_.find(collection);
  if (states == states_.end()) return kNone;
  const auto after = states->second.upper_bound(revision);
  return after == states->second.begin() ? kNone : std::prev(after)->second;
}

std::vector<StoreModel::Change> StoreModel::After(store::CollectionId collection,
                                                  store::Revision revision) const {
  const auto by_revision = [](store::Revision at, const Change& change) { return at < change.revision; };
  std::vector<Change> found;
  std::copy_if(std::upper_bound(changes_.begin(), changes_.end(), revision, by_revision), changes_.end(),
               std::back_inserter(found),
               [collection](const Change& change) { return change.collection == collection; });
  return found;
}

bool ModelMatches(const selector::Query& query, const std::string& key,
                  const std::map<std::string, std::string>& terms) {
  return std::all_of(query.terms.begin(), query.terms.end(),
                     [&](const TermCondition& condition) { return TermHolds(condition, terms); }) &&
         std::all_of(query.keys.begin(), query.keys.end(),
                     [&](const KeyCondition& condition) { return KeyHolds(condition, key); });
}

}  // namespace annex::test
