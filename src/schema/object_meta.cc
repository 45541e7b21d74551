// Reading metadata as the struct (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/coerce.go).
#include "annex/schema/object_meta.h"

#include "coerce.h"
#include "typed_reader.h"

#include <utility>

namespace annex::schema {
namespace {

using json::Value;

// How Go's %T calls a value of an unstructured object.
std::string_view GoType(const Value& value) {
  if (value.is_number_float()) return "float64";
  if (value.is_number()) return "int64";
  if (value.is_array()) return "[]interface {}";
  return GoKind(value);
}

// Field by field: one that cannot be read does not take the others with it.
base::Result<void> DropMalformed(Value& metadata, std::string_view path, TypedReport* report) {
  if (metadata.is_null()) metadata = Value::object();
  if (!metadata.is_object()) {
    return base::Error(base::Reason::kBadRequest,
                       "invalid metadata: expected object, got " + std::string(GoType(metadata)));
  }
  TypedReader reader(report, NumberSource::kValues);
  const PathFrame root = PathFrame::Root(path);
  auto& members = metadata.get_ref<Value::object_t&>();
  for (auto member = members.begin(); member != members.end();) {
    const bool written =
        reader.ReadMember(member->second, ObjectMetaType(), member->first, root.Property(member->first));
    const bool readable = !reader.TakeError();
    member = written && readable ? std::next(member) : members.erase(member);
  }
  return {};
}

}  // namespace

base::Result<void> ReadObjectMeta(Value& metadata, MalformedFields malformed, std::string_view place,
                                  std::vector<std::string>* unknown_fields) {
  TypedReport report;
  TypedReport* wanted = unknown_fields == nullptr ? nullptr : &report;
  if (malformed == MalformedFields::kDrop) {
    ANNEX_RETURN_IF_ERROR(DropMalformed(metadata, place, wanted));
  } else {
    ANNEX_RETURN_IF_ERROR(ReadTyped(metadata, ObjectMetaType(), place, wanted, NumberSource::kValues));
  }
  for (std::string& field : report.unknown_fields) unknown_fields->push_back(std::move(field));
  return {};
}

base::Result<void> CoerceObjectMeta(Value& object, MalformedFields malformed, std::string_view path,
                                    std::vector<std::string>* unknown_fields) {
  Value* metadata = json::Find(object, "metadata");
  if (metadata == nullptr) return {};
  const std::string place = path.empty() ? "metadata" : std::string(path) + ".metadata";
  return ReadObjectMeta(*metadata, malformed, place, unknown_fields);
}

}  // namespace annex::schema
