// Registry: which resources are served right now.
//
// A Snapshot is immutable; a change of any definition publishes a new one. Requests take the current snapshot
// once and never lock.
//
// Thread rule: everything is thread-safe.
#pragma once

#include "annex/definition/resource.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace annex::definition {

class Snapshot {
 public:
  // One resource in one of its served versions.
  struct Served {
    std::shared_ptr<const Resource> resource;
    const Version* version = nullptr;
  };
  struct GroupVersion {
    std::string name;
    std::map<std::string, Served, std::less<>> resources;  // by plural
  };
  struct Group {
    std::string name;
    std::vector<GroupVersion> versions;  // in kube-aware order, the preferred one first
  };

  explicit Snapshot(std::vector<std::shared_ptr<const Resource>> resources);

  // What discovery and OpenAPI tell of: what is established.
  const std::map<std::string, Group, std::less<>>& groups() const { return groups_; }
  const std::vector<std::shared_ptr<const Resource>>& resources() const { return resources_; }
  // Different for every snapshot of a process.
  std::uint64_t generation() const { return generation_; }

  const Group* FindGroup(std::string_view group) const;
  const GroupVersion* FindGroupVersion(std::string_view group, std::string_view version) const;
  // nullptr if it is not served. What is not established yet is served all the same.
  const Served* Find(std::string_view group, std::string_view version, std::string_view plural) const;

 private:
  std::vector<std::shared_ptr<const Resource>> resources_;
  std::map<std::string, Group, std::less<>> groups_;
  std::vector<Served> waiting_;  // not established: few
  std::uint64_t generation_;
};

class Registry {
 public:
  Registry() : current_(std::make_shared<const Snapshot>(std::vector<std::shared_ptr<const Resource>>())) {}

  std::shared_ptr<const Snapshot> Current() const { return current_.load(); }
  void Publish(std::shared_ptr<const Snapshot> snapshot) { current_.store(std::move(snapshot)); }

 private:
  std::atomic<std::shared_ptr<const Snapshot>> current_;
};

// Kubernetes' order of versions: v2 before v1 before v1beta1 before v1alpha2, other names last in
// alphabetical order. True if `a` comes first (k8s.io/apimachinery/pkg/version,
// CompareKubeAwareVersionStrings).
bool KubeAwareBefore(std::string_view a, std::string_view b);

}  // namespace annex::definition
