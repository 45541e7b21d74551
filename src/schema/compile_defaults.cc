// pkg/apiserver/schema/defaulting/prune.go: each default value is put into an object at its place, the object
// is read as any other, and what is left of the value becomes the default.
#include "coerce.h"
#include "compile.h"
#include "prune.h"

#include <utility>
#include <vector>

namespace annex::schema {
namespace {

using json::Value;

class DefaultPruner {
 public:
  explicit DefaultPruner(const Node& root) : root_(root) {}

  bool Walk(Node& node) {
    if (node.default_value && !PruneDefault(node)) return false;
    if (node.additional_properties && !Below(*node.additional_properties, "*")) return false;
    if (node.items && !Below(*node.items, {})) return false;
    for (auto& [name, property] : node.properties) {
      if (!Below(property, name)) return false;
    }
    return true;
  }

 private:
  // A field of an object, or with a null `data()` the only item of an array.
  using Step = std::string_view;

  bool Below(Node& node, Step step) {
    steps_.push_back(step);
    const bool pruned = Walk(node);
    steps_.pop_back();
    return pruned;
  }

  bool PruneDefault(Node& node) {
    Value object = *std::move(node.default_value);
    node.default_value.reset();
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      Value outer = step->data() == nullptr ? Value::array() : Value::object();
      if (step->data() == nullptr) {
        outer.push_back(std::move(object));
      } else {
        outer.emplace(std::string(*step), std::move(object));
      }
      object = std::move(outer);
    }
    if (!object.is_object()) return false;
    const EmbeddedOptions options{MalformedFields::kDrop, true};
    if (!CoerceEmbedded(object, root_, options, nullptr)) return false;
    PruneObject(object, root_, nullptr);
    Value* left = Follow(object);
    if (left != nullptr && !left->is_null()) node.default_value = std::move(*left);
    return true;
  }

  Value* Follow(Value& object) const {
    Value* at = &object;
    for (const Step step : steps_) {
      if (step.data() != nullptr) {
        at = json::Find(*at, step);
      } else {
        at = at->is_array() && !at->empty() ? &at->front() : nullptr;
      }
      if (at == nullptr) return nullptr;
    }
    return at;
  }

  const Node& root_;
  std::vector<Step> steps_;
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
