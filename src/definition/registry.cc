#include "annex/definition/registry.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace annex::definition {
namespace {

// "v1", "v2beta3": major, stage (GA 2, beta 1, alpha 0), minor. nullopt for other names.
using KubeVersion = std::tuple<int, std::uint64_t, std::uint64_t>;

bool TakeNumber(std::string_view& text, std::uint64_t& number) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || text[0] == '0') return false;
  const auto value = base::ParseUint64(text.substr(0, digits));
  if (!value) return false;
  number = *value;
  text.remove_prefix(digits);
  return true;
}

std::optional<KubeVersion> ParseKubeVersion(std::string_view text) {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  if (!TakeNumber(text, major)) return std::nullopt;
  if (text.empty()) return KubeVersion{2, major, 0};
  for (const auto& [stage, word] : {std::pair<int, std::string_view>{1, "beta"}, {0, "alpha"}}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    if (!TakeNumber(text, minor) || !text.empty()) return std::nullopt;
    return KubeVersion{stage, major, minor};
  }
  return std::nullopt;
}

std::atomic<std::uint64_t> next_generation{1};

}  // namespace

bool KubeAwareBefore(std::string_view a, std::string_view b) {
  const auto left = ParseKubeVersion(a);
  const auto right = ParseKubeVersion(b);
  if (left && right) return *left > *right;
  if (left || right) return left.has_value();
  return a < b;
}

Snapshot::Snapshot(std::vector<std::shared_ptr<const Resource>> resources)
    : resources_(std::move(resources)), generation_(next_generation++) {
  for (const auto& resource : resources_) {
    for (const Version& version : resource->versions()) {
      if (!version.served) continue;
      if (!resource->established()) {
        waiting_.push_back({resource, &version});
        continue;
      }
      Group& group = groups_[resource->group()];
      group.name = resource->group();
      auto place = std::find_if(group.versions.begin(), group.versions.end(),
                                [&](const GroupVersion& known) { return known.name == version.name; });
      if (place == group.versions.end()) place = group.versions.insert(place, GroupVersion{version.name, {}});
      place->resources.emplace(resource->names().plural, Served{resource, &version});
    }
  }
  for (auto& [name, group] : groups_) {
    std::sort(group.versions.begin(), group.versions.end(),
              [](const GroupVersion& a, const GroupVersion& b) { return KubeAwareBefore(a.name, b.name); });
  }
}

const Snapshot::Group* Snapshot::FindGroup(std::string_view group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

const Snapshot::GroupVersion* Snapshot::FindGroupVersion(std::string_view group,
                                                         std::string_view version) const {
  const Group* found = FindGroup(group);
  if (found == nullptr) return nullptr;
  const auto place = std::find_if(found->versions.begin(), found->versions.end(),
                                  [version](const GroupVersion& known) { return known.name == version; });
  return place == found->versions.end() ? nullptr : &*place;
}

const Snapshot::Served* Snapshot::Find(std::string_view group, std::string_view version,
                                       std::string_view plural) const {
  if (const GroupVersion* found = FindGroupVersion(group, version)) {
    const auto place = found->resources.find(plural);
    if (place != found->resources.end()) return &place->second;
  }
  const auto place = std::find_if(waiting_.begin(), waiting_.end(), [&](const Served& served) {
    return served.version->name == version && served.resource->group() == group &&
           served.resource->names().plural == plural;
  });
  return place == waiting_.end() ? nullptr : &*place;
}

}  // namespace annex::definition
