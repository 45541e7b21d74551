#include "embedded.h"

#include "annex/base/strings.h"
#include "annex/schema/object_meta.h"
#include "coerce.h"
#include "limits.h"
#include "path.h"

#include <algorithm>
#include <string>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

class EmbeddedChecker {
 public:
  void Walk(const Value& value, const Node& node, const PathFrame& at) {
    if (!node.embedded_below || errors_.size() >= kMaxErrors) return;
    if (value.is_array() && node.items) {
      const auto& items = value.get_ref<const Value::array_t&>();
      for (std::size_t i = 0; i < items.size(); ++i) Walk(items[i], *node.items, at.Index(i));
    }
    if (!value.is_object()) return;
    if (node.embedded_resource) CheckResource(value, at);
    for (const auto& [name, member] : value.get_ref<const Value::object_t&>()) {
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) {
        Walk(member, property->second, at.Property(name));
      } else if (node.additional_properties) {
        Walk(member, *node.additional_properties, at.Key(name));
      }
    }
  }

  FieldErrors Take() { return std::move(errors_); }

 private:
  void CheckResource(const Value& resource, const PathFrame& at) {
    const FieldPath path(FieldPathText(at));
    const Value* api_version = json::Find(resource, "apiVersion");
    const Value* kind = json::Find(resource, "kind");
    if (api_version == nullptr) errors_.push_back(json::RequiredError(path.Child("apiVersion")));
    if (kind == nullptr) errors_.push_back(json::RequiredError(path.Child("kind")));
    if (api_version != nullptr) CheckApiVersion(*api_version, path.Child("apiVersion"));
    if (kind != nullptr) CheckKind(*kind, path.Child("kind"));
    if (const Value* metadata = json::Find(resource, "metadata"))
      CheckMetadata(*metadata, path.Child("metadata"));
  }

  // False after reporting what is wrong already.
  bool IsFilledText(const Value& value, const FieldPath& path) {
    if (!value.is_string()) {
      errors_.push_back(json::InvalidError(path, value, "must be a string"));
      return false;
    }
    if (value.get_ref<const std::string&>().empty()) {
      errors_.push_back(json::InvalidError(path, value, "must not be empty"));
      return false;
    }
    return true;
  }

  void CheckApiVersion(const Value& value, const FieldPath& path) {
    if (!IsFilledText(value, path)) return;
    const auto& text = value.get_ref<const std::string&>();
    if (std::count(text.begin(), text.end(), '/') > 1) {
      errors_.push_back(json::InvalidError(path, value, "unexpected GroupVersion string: " + text));
    }
  }

  void CheckKind(const Value& value, const FieldPath& path) {
    if (!IsFilledText(value, path)) return;
    const auto problems = base::CheckDns1035Label(base::AsciiLower(value.get_ref<const std::string&>()));
    if (problems.empty()) return;
    errors_.push_back(json::InvalidError(
        path, value, "may have mixed case, but should otherwise match: " + base::Join(problems, ",")));
  }

  void CheckMetadata(const Value& value, const FieldPath& path) {
    Value metadata = value;
    if (const auto read = ReadObjectMeta(metadata, MalformedFields::kRefuse, "", nullptr); !read) {
      errors_.push_back(json::InvalidError(path, value, read.error().message));
      return;
    }
    // An embedded resource needs no name.
    if (json::TextAt(metadata, {"name"}).empty()) metadata["name"] = "fakename";
    const ObjectMetaRules rules{!json::TextAt(metadata, {"namespace"}).empty(), CheckPathSegmentName};
    json::Append(errors_, ValidateObjectMeta(metadata, rules, path));
  }

  FieldErrors errors_;
};

}  // namespace

FieldErrors CheckEmbedded(const Value& object, const Node& root) {
  if (!root.embedded_below) return {};
  EmbeddedChecker checker;
  checker.Walk(object, root, PathFrame::Root());
  return checker.Take();
}

}  // namespace annex::schema
