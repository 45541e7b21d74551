// FieldSet: a set of fields of an object, as each entry of metadata.managedFields holds one.
//
// A tree with the steps of paths (PathElement) in order. A node stands for a field below which, or which
// itself, belongs to the set: owning .spec.size does not mean owning .spec.
//
// Thread rule: a value type; sets share subtrees, which never change.
#pragma once

#include "annex/ownership/path_element.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace annex::ownership {

class FieldSet {
 public:
  struct Node {
    PathElement element;
    bool member = false;                                 // the field itself belongs to the set
    std::shared_ptr<const FieldSet> children = nullptr;  // never empty; nullptr if there are none
  };

  FieldSet() = default;
  // The fields at paths of names: FieldSet::Of({{"metadata", "name"}, {"kind"}}).
  static FieldSet Of(const std::vector<std::vector<std::string>>& paths);

  bool Empty() const { return nodes_.empty(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  // nullptr if there is none.
  const Node* Find(const PathElement& element) const;
  // Whether the field at a path of names belongs to the set.
  bool Has(const std::vector<std::string>& path) const;

  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  // Without the fields of `other`; what lies below them stays.
  FieldSet Difference(const FieldSet& other) const;
  // Without the fields of `other` and all that lies below them.
  FieldSet RecursiveDifference(const FieldSet& other) const;

  // Adds a node behind the others. Does nothing if it is neither a member nor has children.
  // REQUIRES: its element is greater than all others.
  void Append(PathElement element, bool member, FieldSet children);
  // Adds a node where it belongs. If there is one for its element, it becomes a member if either is, and its
  // children are replaced if the new one has any.
  void Insert(Node node);
  void Reserve(std::size_t nodes) { nodes_.reserve(nodes); }

  // The paths as messages show them, a level's own fields before those below: ".spec", ".spec.size".
  std::vector<std::string> PathTexts() const;

  bool operator==(const FieldSet& other) const;

 private:
  void AddPathTexts(const std::string& prefix, std::vector<std::string>& texts) const;
  std::vector<Node> nodes_;  // sorted by element; each is a member or has children
};

}  // namespace annex::ownership
