// FieldManager: what a write does to metadata.managedFields, and server-side apply
// (k8s.io/apimachinery/pkg/util/managedfields, sigs.k8s.io/structured-merge-diff/merge).
//
// A write by POST, PUT or PATCH: the manager becomes the owner of all fields that it changes, the others lose
// them. An apply: the manager owns exactly what it applied; what it applied before and no longer does goes,
// unless somebody else owns it; what another manager owns and it would change is a conflict, unless forced.
//
// Thread rule: immutable and thread-safe as long as its Versions are. Ownership: keeps references to what it
// was given; made for one request.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/field_set.h"
#include "annex/ownership/managed_fields.h"
#include "annex/ownership/object_type.h"

#include <string>
#include <string_view>

namespace annex::ownership {

// More entries of updates than these are merged into one.
inline constexpr std::size_t kMaxUpdateManagers = 10;
// What server-side apply by kubectl reads to take over from client-side apply, and keeps up to date.
inline constexpr const char* kLastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

// The versions that an object can be shown in.
class Versions {
 public:
  virtual ~Versions() = default;
  // nullptr: there is no such version (any more).
  virtual const ObjectType* TypeOf(std::string_view api_version) const = 0;
  // `object`, which is of another version, in this one. REQUIRES: TypeOf(api_version) is not nullptr.
  // Errors: whatever keeps it from being converted; the text gets to clients of an apply.
  virtual base::Result<json::Value> Convert(const json::Value& object,
                                            std::string_view api_version) const = 0;
};

class FieldManager {
 public:
  struct Options {
    std::string api_version;  // of the request's objects; Versions knows it
    std::string kind;
    std::string subresource;  // "status", "scale" or ""
    // What the strategy does not take from such requests: nobody owns it through them.
    FieldSet reset_fields;
    // An object in which nothing is set yet, in the request's version.
    json::Value new_object;
  };
  FieldManager(const Versions& versions, Options options)
      : versions_(versions), options_(std::move(options)), type_(*versions.TypeOf(options_.api_version)) {}

  // Who writes, and when (RFC 3339).
  struct Writer {
    std::string manager;
    std::string now;
  };

  // What `object` is to have as metadata.managedFields (null: none) when it replaces `live`. Never fails: if
  // ownership cannot be told, there is none, as upstream has it.
  // `live_managed` is live's metadata.managedFields, `given` what the request's object has there, which
  // counts if it can be understood ([{}] forgets all owners); null for none. A new object replaces one
  // without a UID.
  // REQUIRES: neither `live` nor `object` has metadata.managedFields.
  json::Value Update(const json::Value& live, const json::Value& live_managed, const json::Value& object,
                     const json::Value& given, const Writer& writer) const;

  struct Applied {
    // The whole object without managedFields and before defaulting. That of `live` if nothing changed.
    json::Value object;
    json::Value managed_fields;
    bool changed = false;
  };
  // Applies `applied`, a part of an object in the request's version.
  // Errors: BadRequest (of another type, or it has managedFields itself), Conflict with a cause for each
  // field, Unknown (it does not fit the schema, or an object cannot be converted).
  // REQUIRES: `live` has no metadata.managedFields; the numbers in `applied` are all floating-point.
  base::Result<Applied> Apply(const json::Value& live, const json::Value& live_managed,
                              const json::Value& applied, const Writer& writer, bool force) const;

 private:
  base::Result<ManagedFields> Track(const json::Value& live, const json::Value& object, ManagedFields managed,
                                    const Writer& writer) const;
  base::Result<void> CheckApplied(const json::Value& applied) const;
  struct Attempt;
  base::Result<Attempt> Try(const json::Value& live, ManagedFields managed, const json::Value& applied,
                            const Writer& writer, bool force) const;
  ManagerId IdOf(const std::string& manager, Operation operation) const;

  const Versions& versions_;
  const Options options_;
  const ObjectType& type_;
};

}  // namespace annex::ownership
