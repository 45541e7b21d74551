// ManagedFields: metadata.managedFields, decoded: who owns which fields
// (k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go).
//
// Thread rule: a value type.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"
#include "annex/ownership/field_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace annex::ownership {

enum class Operation : std::uint8_t { kApply, kUpdate };

// What tells one entry from another. The version an Apply was made in does not: there is one entry for each
// applier.
struct ManagerId {
  std::string manager;
  Operation operation = Operation::kUpdate;
  std::string api_version;  // "" for kApply
  std::string subresource;
  bool operator==(const ManagerId&) const = default;

  // JSON, by which upstream sorts managers.
  std::string Text() const;
  // As messages name it: `"m" with subresource "status" using g/v1`.
  std::string Describe() const;
};

struct ManagedEntry {
  ManagerId id;
  std::string api_version;  // of the fields
  std::string time;         // RFC 3339 in UTC and whole seconds; "" for none
  FieldSet fields;
};

class ManagedFields {
 public:
  // Reads metadata.managedFields; null for none. Of two entries with the same id the later counts.
  // Errors: BadRequest (not a list of entries, or an entry that cannot be understood).
  static base::Result<ManagedFields> Decode(const json::Value& managed_fields);

  // Entries sorted by operation, time, manager, version and subresource; null if there are none.
  json::Value Encode() const;

  bool Empty() const { return entries_.empty(); }
  std::vector<ManagedEntry>& entries() { return entries_; }
  const std::vector<ManagedEntry>& entries() const { return entries_; }
  // nullptr if there is none.
  ManagedEntry* Find(const ManagerId& id);
  // The entry `id`, made with `api_version` and no fields if there was none.
  ManagedEntry& FindOrAdd(const ManagerId& id, const std::string& api_version);
  void RemoveEmpty();

  // Merges the oldest entries made by updates until there are no more than `most`. What is merged becomes an
  // entry of the manager "ancient-changes", one for each version.
  void CapUpdates(std::size_t most);

 private:
  std::vector<ManagedEntry> entries_;
};

// Whether `managed_fields`, as a client sent it, asks to forget all owners: [] or [{}].
bool IsReset(const json::Value& managed_fields);

// Sets the times of object's entries back to those of `existing` if times are all that differs between the
// two objects: such a write is none.
void IgnoreTimesOfNoChange(json::Value& object, const json::Value& existing);

}  // namespace annex::ownership
