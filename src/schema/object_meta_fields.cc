// k8s.io/apimachinery/pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation: the single fields of
// metadata.
#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/schema/object_meta.h"
#include "limits.h"
#include "object_meta_validate.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::FieldErrorType;
using json::FieldPath;
using json::Value;

// Each error about a character of a manager's name shows the whole name.
constexpr std::size_t kMaxCharacterErrors = 1000;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForegroundDeletion = "foregroundDeletion";

const std::string& TextOf(const Value& value) {
  static const std::string kNone;
  return value.is_string() ? value.get_ref<const std::string&>() : kNone;
}

const Value::array_t& ItemsIn(const Value& metadata, std::string_view field) {
  return json::ItemsAt(metadata, {field});
}

// Case does not count in the keys of annotations. Of the letters beyond ASCII two have a lower case within
// it.
std::string LowerKey(std::string_view key) {
  std::string lower;
  for (std::size_t position = 0; position < key.size();) {
    const std::size_t begin = position;
    const char32_t letter = base::NextCodePoint(key, position);
    if (letter == U'\u212A' || letter == U'\u0130') {
      lower += letter == U'\u212A' ? 'k' : 'i';
    } else {
      lower += key.substr(begin, position - begin);
    }
  }
  return base::AsciiLower(lower);
}

// A struct as Go writes it, fields in the order of their declaration.
void AppendOwner(std::string& out, const Value& owner) {
  char separator = '{';
  const auto append = [&](std::string_view field) {
    out += separator;
    separator = ',';
    json::AppendJsonString(out, field);
    out += ':';
  };
  for (const std::string_view field : {"apiVersion", "kind", "name", "uid"}) {
    append(field);
    json::AppendJsonString(out, MetaText(owner, field));
  }
  for (const std::string_view field : {"controller", "blockOwnerDeletion"}) {
    const Value* flag = json::Find(owner, field);
    if (flag == nullptr || !flag->is_boolean()) continue;
    append(field);
    out += flag->get<bool>() ? "true" : "false";
  }
  out += '}';
}

std::string ShowOwners(const Value::array_t& owners) {
  std::string shown;
  for (const Value& owner : owners) {
    shown += shown.empty() ? '[' : ',';
    AppendOwner(shown, owner);
  }
  return shown + ']';
}

void CheckOwner(const Value& owner, const FieldPath& path, FieldErrors& errors) {
  const std::string_view api_version = MetaText(owner, "apiVersion");
  const std::string_view kind = MetaText(owner, "kind");
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  // Of "group/version" the version; an apiVersion with more slashes has none.
  const std::string_view version =
      slashes > 1 ? std::string_view() : api_version.substr(slashes == 1 ? api_version.find('/') + 1 : 0);
  if (version.empty()) {
    errors.push_back(json::InvalidError(path.Child("apiVersion"), api_version, "version must not be empty"));
  }
  if (kind.empty()) errors.push_back(json::InvalidError(path.Child("kind"), kind, "must not be empty"));
  if (MetaText(owner, "name").empty()) {
    errors.push_back(json::InvalidError(path.Child("name"), "", "must not be empty"));
  }
  if (MetaText(owner, "uid").empty()) {
    errors.push_back(json::InvalidError(path.Child("uid"), "", "must not be empty"));
  }
  const bool core_v1 = api_version == "v1" || api_version == "/v1";
  if (core_v1 && kind == "Event") {
    std::string shown;
    AppendOwner(shown, owner);
    errors.push_back(InvalidShown(path, shown, "/v1, Kind=Event is disallowed from being an owner"));
  }
}

void CheckManagedFieldsEntry(const Value& entry, const FieldPath& path, FieldErrors& errors) {
  const std::string_view operation = MetaText(entry, "operation");
  if (operation != "Apply" && operation != "Update") {
    std::string shown;
    json::AppendJsonString(shown, operation);
    errors.push_back(InvalidShown(path.Child("operation"), shown, "must be `Apply` or `Update`"));
  }
  const std::string_view fields_type = MetaText(entry, "fieldsType");
  if (!fields_type.empty() && fields_type != "FieldsV1") {
    errors.push_back(json::InvalidError(path.Child("fieldsType"), fields_type, "must be `FieldsV1`"));
  }
  json::Append(errors, ValidateFieldManager(MetaText(entry, "manager"), path.Child("manager")));
  if (MetaText(entry, "subresource").size() > kMaxSubresourceLength) {
    errors.push_back(json::TooLongError(path.Child("subresource"), kMaxSubresourceLength));
  }
}

std::string TwoControllers(const std::string& first, const std::string& second) {
  return "Only one reference can have Controller set to true. Found \"true\" in references for " + first +
         " and " + second;
}

}  // namespace

json::FieldError InvalidShown(const FieldPath& path, std::string_view shown, std::string_view detail) {
  std::string body = "Invalid value: ";
  body.append(shown).append(": ").append(detail);
  return {FieldErrorType::kInvalid, path.Text(), std::move(body)};
}

FieldErrors ValidateLabels(const Value& labels, const FieldPath& path) {
  FieldErrors errors;
  if (!labels.is_object()) return errors;
  for (const auto& [key, value] : labels.get_ref<const Value::object_t&>()) {
    if (errors.size() >= kMaxErrors) break;
    for (const std::string& problem : base::CheckQualifiedName(key)) {
      errors.push_back(json::InvalidError(path, key, problem));
    }
    for (const std::string& problem : base::CheckLabelValue(TextOf(value))) {
      errors.push_back(json::InvalidError(path, value, problem));
    }
  }
  return errors;
}

FieldErrors ValidateFieldManager(std::string_view manager, const FieldPath& path) {
  FieldErrors errors;
  if (manager.size() > kMaxFieldManagerLength)
    errors.push_back(json::TooLongError(path, kMaxFieldManagerLength));
  for (std::size_t position = 0; position < manager.size() && errors.size() < kMaxCharacterErrors;) {
    const std::size_t begin = position;
    const char32_t character = base::NextCodePoint(manager, position);
    if (base::IsPrintable(character)) continue;
    std::array<char, 32> shown{};
    std::snprintf(shown.data(), shown.size(), "U+%04X", static_cast<unsigned>(character));
    errors.push_back(json::InvalidError(
        path, manager,
        std::string("invalid character ") + shown.data() + " (at position " + std::to_string(begin) + ")"));
  }
  return errors;
}

FieldErrors ValidateAnnotations(const Value& annotations, const FieldPath& path) {
  FieldErrors errors;
  if (!annotations.is_object()) return errors;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations.get_ref<const Value::object_t&>()) {
    bytes += key.size() + TextOf(value).size();
    if (errors.size() >= kMaxErrors) continue;
    for (const std::string& problem : base::CheckQualifiedName(LowerKey(key))) {
      errors.push_back(json::InvalidError(path, key, problem));
    }
  }
  if (bytes > kMaxAnnotationsBytes) errors.push_back(json::TooLongError(path, kMaxAnnotationsBytes));
  return errors;
}

void CheckOwnerReferences(const Value& metadata, const FieldPath& path, FieldErrors& errors) {
  const FieldPath place = path.Child("ownerReferences");
  const auto& owners = ItemsIn(metadata, "ownerReferences");
  std::string first_controller;
  std::size_t shown_bytes = 0;
  for (const Value& owner : owners) {
    if (errors.size() >= kMaxErrors) return;
    CheckOwner(owner, place, errors);
    if (!json::FlagAt(owner, {"controller"})) continue;
    std::string controller(MetaText(owner, "kind"));
    controller.append("/").append(MetaText(owner, "name"));
    if (first_controller.empty()) {
      first_controller = std::move(controller);
    } else if (shown_bytes < kMaxErrorBytes) {
      // Each of these errors shows all owners.
      const std::string shown = ShowOwners(owners);
      shown_bytes += shown.size();
      errors.push_back(InvalidShown(place, shown, TwoControllers(first_controller, controller)));
    }
  }
}

void CheckFinalizers(const Value& metadata, const FieldPath& path, FieldErrors& errors) {
  const FieldPath place = path.Child("finalizers");
  const auto& finalizers = ItemsIn(metadata, "finalizers");
  bool orphan = false;
  bool foreground = false;
  for (const Value& finalizer : finalizers) {
    if (errors.size() >= kMaxErrors) break;
    for (const std::string& problem : base::CheckQualifiedName(TextOf(finalizer))) {
      errors.push_back(json::InvalidError(place, finalizer, problem));
    }
    orphan = orphan || TextOf(finalizer) == kOrphan;
    foreground = foreground || TextOf(finalizer) == kForegroundDeletion;
  }
  if (orphan && foreground) {
    errors.push_back(
        json::InvalidError(place, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void CheckManagedFields(const Value& metadata, const FieldPath& path, FieldErrors& errors) {
  const auto& entries = ItemsIn(metadata, "managedFields");
  if (entries.empty()) return;
  const FieldPath place = path.Child("managedFields");
  for (std::size_t i = 0; i < entries.size() && errors.size() < kMaxErrors; ++i) {
    CheckManagedFieldsEntry(entries[i], place.Index(i), errors);
  }
}

}  // namespace annex::schema
