// pkg/apiserver/schema/defaulting/prune.go: each default value is put into an object at its place, the object
// is read as any other, and what is left of the value becomes the default.
#include "annex/schema/default_place.h"
#include "coerce.h"
#include "compile.h"
#include "prune.h"

#include <utility>

namespace annex::schema {
namespace {

using json::Value;

class DefaultPruner {
 public:
  explicit DefaultPruner(const Node& root) : root_(root) {}

  bool Walk(Node& node) {
    if (node.default_value && !PruneDefault(node)) return false;
    if (node.additional_properties && !Below(*node.additional_properties, "*")) return false;
    if (node.items && !Below(*node.items, DefaultPlace::kItem)) return false;
    for (auto& [name, property] : node.properties) {
      if (!Below(property, name)) return false;
    }
    return true;
  }

 private:
  bool Below(Node& node, DefaultPlace::Step step) {
    place_.Enter(step);
    const bool pruned = Walk(node);
    place_.Leave();
    return pruned;
  }

  bool PruneDefault(Node& node) {
    Value object = place_.Around(*std::move(node.default_value));
    node.default_value.reset();
    if (!object.is_object()) return false;
    const EmbeddedOptions options{MalformedFields::kDrop, true};
    if (!CoerceEmbedded(object, root_, options, nullptr)) return false;
    PruneObject(object, root_, nullptr);
    Value* left = place_.Find(object);
    if (left != nullptr && !left->is_null()) node.default_value = std::move(*left);
    return true;
  }

  const Node& root_;
  DefaultPlace place_;
};

}  // namespace

base::Result<void> PruneDefaults(Node& root) {
  // The coercion goes only where Summarize has seen embedded resources.
  Summarize(root);
  if (!DefaultPruner(root).Walk(root)) {
    return base::Error(base::Reason::kInvalid, "default: object root default value must be of object type");
  }
  return {};
}

}  // namespace annex::schema
