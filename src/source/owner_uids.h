// OwnerUids: the uids that objects get when they go back to the cluster. An object that etcd does not have
// any more gets a new one there, and whatever names it as its owner has to follow.
//
// Thread rule: used on one executor.
#pragma once

#include "annex/json/value.h"

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace annex::source {

class OwnerUids {
 public:
  // Told of each object whose new uid became known, or became another one, by its old uid.
  void OnChange(std::function<void(const std::string& uid)> listener) {
    listeners_.push_back(std::move(listener));
  }

  // The object that had `before` has `after`.
  void Note(const std::string& before, const std::string& after) {
    if (before == after && !changed_.contains(before)) return;
    std::string& known = changed_[before];
    if (std::exchange(known, after) == after) return;
    for (const auto& listener : listeners_) listener(before);
  }

  // Lets the ownerReferences in `metadata` name the owners as they are called in the cluster. True if
  // something was changed.
  bool Rename(json::Value& metadata) const {
    const auto references = metadata.find("ownerReferences");
    if (changed_.empty() || references == metadata.end() || !references->is_array()) return false;
    bool changed = false;
    for (json::Value& reference : *references) {
      const auto found = changed_.find(json::TextAt(reference, {"uid"}));
      if (found == changed_.end() || found->second == found->first) continue;
      reference["uid"] = found->second;
      changed = true;
    }
    return changed;
  }

  bool empty() const { return changed_.empty(); }
  std::size_t size() const { return changed_.size(); }

 private:
  std::unordered_map<std::string, std::string> changed_;
  std::vector<std::function<void(const std::string& uid)>> listeners_;
};

}  // namespace annex::source
