#include "annex/ownership/field_set.h"

#include <algorithm>

namespace annex::ownership {
namespace {

using Node = FieldSet::Node;
using Nodes = std::vector<Node>;

const FieldSet& ChildrenOf(const Node& node) {
  static const FieldSet kNone;
  return node.children ? *node.children : kNone;
}

// Calls visit(left, right) for each element that occurs in either, in order; nullptr stands for a side
// without it.
template <typename Visit>
void Zip(const Nodes& left, const Nodes& right, Visit visit) {
  auto l = left.begin();
  auto r = right.begin();
  while (l != left.end() || r != right.end()) {
    int order = 0;
    if (l == left.end()) {
      order = 1;
    } else if (r == right.end()) {
      order = -1;
    } else {
      order = l->element.Compare(r->element);
    }
    visit(order <= 0 ? &*l : nullptr, order >= 0 ? &*r : nullptr);
    if (order <= 0) ++l;
    if (order >= 0) ++r;
  }
}

}  // namespace

FieldSet FieldSet::Of(const std::vector<std::vector<std::string>>& paths) {
  FieldSet set;
  for (const std::vector<std::string>& path : paths) {
    FieldSet one;
    for (auto name = path.rbegin(); name != path.rend(); ++name) {
      const bool leaf = one.Empty();
      FieldSet outer;
      outer.Append(PathElement::Field(*name), leaf, std::move(one));
      one = std::move(outer);
    }
    set = set.Union(one);
  }
  return set;
}

const Node* FieldSet::Find(const PathElement& element) const {
  const auto place =
      std::lower_bound(nodes_.begin(), nodes_.end(), element,
                       [](const Node& node, const PathElement& wanted) { return node.element < wanted; });
  return place != nodes_.end() && place->element == element ? &*place : nullptr;
}

bool FieldSet::Has(const std::vector<std::string>& path) const {
  const FieldSet* set = this;
  const Node* node = nullptr;
  for (const std::string& name : path) {
    node = set->Find(PathElement::Field(name));
    if (node == nullptr) return false;
    set = &ChildrenOf(*node);
  }
  return node != nullptr && node->member;
}

void FieldSet::Append(PathElement element, bool member, FieldSet children) {
  if (!member && children.Empty()) return;
  Node node{std::move(element), member};
  if (!children.Empty()) node.children = std::make_shared<const FieldSet>(std::move(children));
  nodes_.push_back(std::move(node));
}

void FieldSet::Insert(Node node) {
  const auto place = std::lower_bound(
      nodes_.begin(), nodes_.end(), node.element,
      [](const Node& present, const PathElement& wanted) { return present.element < wanted; });
  if (place == nodes_.end() || !(place->element == node.element)) {
    nodes_.insert(place, std::move(node));
    return;
  }
  place->member = place->member || node.member;
  if (node.children) place->children = std::move(node.children);
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  if (other.Empty()) return *this;
  if (Empty()) return other;
  FieldSet result;
  Zip(nodes_, other.nodes_, [&result](const Node* l, const Node* r) {
    if (l == nullptr || r == nullptr) {
      result.nodes_.push_back(l == nullptr ? *r : *l);
    } else if (!l->children || !r->children) {
      result.nodes_.push_back({l->element, l->member || r->member, l->children ? l->children : r->children});
    } else {
      result.Append(l->element, l->member || r->member, l->children->Union(*r->children));
    }
  });
  return result;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet result;
  Zip(nodes_, other.nodes_, [&result](const Node* l, const Node* r) {
    if (l == nullptr || r == nullptr) return;
    FieldSet children;
    if (l->children && r->children) children = l->children->Intersection(*r->children);
    result.Append(l->element, l->member && r->member, std::move(children));
  });
  return result;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  if (other.Empty()) return *this;
  FieldSet result;
  Zip(nodes_, other.nodes_, [&result](const Node* l, const Node* r) {
    if (l == nullptr) return;
    if (r == nullptr) {
      result.nodes_.push_back(*l);
    } else {
      result.Append(l->element, l->member && !r->member, ChildrenOf(*l).Difference(ChildrenOf(*r)));
    }
  });
  return result;
}

FieldSet FieldSet::RecursiveDifference(const FieldSet& other) const {
  if (other.Empty()) return *this;
  FieldSet result;
  Zip(nodes_, other.nodes_, [&result](const Node* l, const Node* r) {
    if (l == nullptr || (r != nullptr && r->member)) return;
    if (r == nullptr) {
      result.nodes_.push_back(*l);
    } else {
      result.Append(l->element, l->member, ChildrenOf(*l).RecursiveDifference(ChildrenOf(*r)));
    }
  });
  return result;
}

std::vector<std::string> FieldSet::PathTexts() const {
  std::vector<std::string> texts;
  AddPathTexts("", texts);
  return texts;
}

void FieldSet::AddPathTexts(const std::string& prefix, std::vector<std::string>& texts) const {
  for (const Node& node : nodes_) {
    if (node.member) texts.push_back(prefix + node.element.Text());
  }
  for (const Node& node : nodes_) {
    if (node.children) node.children->AddPathTexts(prefix + node.element.Text(), texts);
  }
}

bool FieldSet::operator==(const FieldSet& other) const {
  return std::equal(nodes_.begin(), nodes_.end(), other.nodes_.begin(), other.nodes_.end(),
                    [](const Node& l, const Node& r) {
                      if (l.member != r.member || !(l.element == r.element)) return false;
                      return l.children == r.children || ChildrenOf(l) == ChildrenOf(r);
                    });
}

}  // namespace annex::ownership
