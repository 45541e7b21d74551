// k8s.io/apimachinery/pkg/api/validation/objectmeta.go: changes.
#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/schema/object_meta.h"
#include "object_meta_validate.h"

#include <algorithm>
#include <set>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

std::set<std::string> FinalizersOf(const Value& metadata) {
  std::set<std::string> names;
  for (const Value& name : json::ItemsAt(metadata, {"finalizers"})) {
    if (name.is_string()) names.insert(name.get<std::string>());
  }
  return names;
}

void CheckNoNewFinalizers(const Value& metadata, const Value& old_metadata, const FieldPath& path,
                          FieldErrors& errors) {
  const std::set<std::string> old_names = FinalizersOf(old_metadata);
  std::string added;
  for (const std::string& name : FinalizersOf(metadata)) {
    if (old_names.contains(name)) continue;
    if (!added.empty()) added += ", ";
    added += base::Quote(name);
  }
  if (added.empty()) return;
  errors.push_back(json::ForbiddenError(
      path.Child("finalizers"),
      "no new finalizers can be added if the object is being deleted, found new finalizers "
      "[]string{" +
          added + "}"));
}

// How Go shows a field's value: a string with %q, everything else as JSON; types.UID is no string to it.
enum class Shown : std::uint8_t { kQuoted, kJsonText, kJson };

struct ImmutableField {
  std::string_view name;
  Shown shown;
};
constexpr ImmutableField kImmutableFields[] = {
    {"name", Shown::kQuoted},
    {"namespace", Shown::kQuoted},
    {"uid", Shown::kJsonText},
    {"creationTimestamp", Shown::kJson},
    {"deletionTimestamp", Shown::kJson},
    {"deletionGracePeriodSeconds", Shown::kJson},
};

bool IsUnchanged(const Value& metadata, const Value& old_metadata, const ImmutableField& field) {
  if (field.shown != Shown::kJson)
    return MetaText(metadata, field.name) == MetaText(old_metadata, field.name);
  static const Value kNone;
  const Value* now = json::Find(metadata, field.name);
  const Value* before = json::Find(old_metadata, field.name);
  return (now == nullptr ? kNone : *now) == (before == nullptr ? kNone : *before);
}

std::string Show(const Value& metadata, const ImmutableField& field) {
  if (field.shown == Shown::kQuoted) return base::Quote(MetaText(metadata, field.name));
  const Value* value = json::Find(metadata, field.name);
  if (field.shown == Shown::kJsonText) return json::ToJson(MetaText(metadata, field.name));
  return value == nullptr ? "null" : json::ToJson(*value);
}

void CheckImmutable(const Value& metadata, const Value& old_metadata, const FieldPath& path,
                    FieldErrors& errors) {
  for (const ImmutableField& field : kImmutableFields) {
    if (IsUnchanged(metadata, old_metadata, field)) continue;
    errors.push_back(InvalidShown(path.Child(field.name), Show(metadata, field), "field is immutable"));
  }
}

}  // namespace

FieldErrors ValidateObjectMetaUpdate(const Value& metadata, const Value& old_metadata,
                                     const FieldPath& path) {
  FieldErrors errors;
  if (!MetaText(old_metadata, "deletionTimestamp").empty()) {
    CheckNoNewFinalizers(metadata, old_metadata, path, errors);
  }
  if (MetaText(metadata, "resourceVersion").empty()) {
    errors.push_back(
        json::InvalidError(path.Child("resourceVersion"), "", "must be specified for an update"));
  }
  const std::int64_t generation = MetaInteger(metadata, "generation");
  if (generation < MetaInteger(old_metadata, "generation")) {
    errors.push_back(json::InvalidError(path.Child("generation"), generation, "must not be decremented"));
  }
  CheckImmutable(metadata, old_metadata, path, errors);
  if (const Value* labels = json::Find(metadata, "labels")) {
    json::Append(errors, ValidateLabels(*labels, path.Child("labels")));
  }
  if (const Value* annotations = json::Find(metadata, "annotations")) {
    json::Append(errors, ValidateAnnotations(*annotations, path.Child("annotations")));
  }
  CheckOwnerReferences(metadata, path, errors);
  CheckManagedFields(metadata, path, errors);
  return errors;
}

}  // namespace annex::schema
