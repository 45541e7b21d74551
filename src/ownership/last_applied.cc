#include "last_applied.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/ownership/field_manager.h"
#include "annex/schema/object_meta.h"
#include "typed_value.h"

#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

std::size_t TotalSize(const Value& annotations) {
  std::size_t size = 0;
  for (const auto& [key, value] : annotations.items()) {
    size += key.size();
    if (value.is_string()) size += value.get_ref<const std::string&>().size();
  }
  return size;
}

Value* AnnotationsOf(Value& object) {
  Value* metadata = json::Find(object, "metadata");
  return metadata == nullptr ? nullptr : json::Find(*metadata, "annotations");
}

}  // namespace

std::optional<FieldSet> FieldsFromLastApplied(const Type& type, const Value& live) {
  const std::string& text = json::TextAt(live, {"metadata", "annotations", kLastAppliedAnnotation});
  if (text.empty()) return std::nullopt;
  const auto applied = json::Parse(text);
  if (!applied || json::TextAt(*applied, {"kind"}).empty()) return std::nullopt;
  if (json::TextAt(*applied, {"apiVersion"}) != json::TextAt(live, {"apiVersion"})) return std::nullopt;
  if (!Validate(type, live, Duplicates::kRefuse).empty()) return std::nullopt;
  if (!Validate(type, *applied, Duplicates::kRefuse).empty()) return std::nullopt;
  const Comparison comparison = Compare(type, *applied, live);
  return FieldsOf(type, *applied)
      .Difference(comparison.modified)
      .Difference(comparison.added)
      .Difference(comparison.removed);
}

void UpdateLastApplied(Value& object, Value applied) {
  Value* annotations = AnnotationsOf(object);
  if (annotations == nullptr || json::TextAt(*annotations, {kLastAppliedAnnotation}).empty()) return;
  if (Value* own = AnnotationsOf(applied); own != nullptr && own->is_object())
    own->erase(kLastAppliedAnnotation);
  (*annotations)[kLastAppliedAnnotation] = json::ToJson(applied) + "\n";
  if (TotalSize(*annotations) > schema::kMaxAnnotationsBytes) annotations->erase(kLastAppliedAnnotation);
}

}  // namespace annex::ownership
