#include "annex/ownership/managed_fields.h"

#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/ownership/fields_v1.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace annex::ownership {
namespace {

using json::Value;

constexpr const char* kFieldsType = "FieldsV1";
constexpr const char* kAncientChanges = "ancient-changes";

const char* OperationText(Operation operation) {
  return operation == Operation::kApply ? "Apply" : "Update";
}

base::Result<ManagedEntry> Refuse(std::string text) {
  return base::Error(base::Reason::kBadRequest, std::move(text));
}

base::Result<ManagedEntry> DecodeEntry(const Value& encoded, std::size_t index) {
  ManagedEntry entry;
  const std::string& operation = json::TextAt(encoded, {"operation"});
  if (operation != "Apply" && operation != "Update") return Refuse("operation must be `Apply` or `Update`");
  entry.api_version = json::TextAt(encoded, {"apiVersion"});
  if (entry.api_version.empty()) return Refuse("apiVersion must not be empty");
  const std::string& fields_type = json::TextAt(encoded, {"fieldsType"});
  if (fields_type.empty())
    return Refuse("missing fieldsType in managed fields entry " + std::to_string(index));
  if (fields_type != kFieldsType) {
    return Refuse("invalid fieldsType " + base::Quote(fields_type) + " in managed fields entry " +
                  std::to_string(index));
  }
  entry.id.manager = json::TextAt(encoded, {"manager"});
  entry.id.operation = operation == "Apply" ? Operation::kApply : Operation::kUpdate;
  if (entry.id.operation == Operation::kUpdate) entry.id.api_version = entry.api_version;
  entry.id.subresource = json::TextAt(encoded, {"subresource"});
  entry.time = json::TextAt(encoded, {"time"});
  if (const Value* fields = json::Find(encoded, "fieldsV1")) {
    ANNEX_TRY(entry.fields, ReadFieldsV1(*fields));
  }
  return entry;
}

Value EncodeEntry(const ManagedEntry& entry) {
  Value encoded = Value::object();
  encoded["apiVersion"] = entry.api_version;
  encoded["fieldsType"] = kFieldsType;
  encoded["fieldsV1"] = WriteFieldsV1(entry.fields);
  if (!entry.id.manager.empty()) encoded["manager"] = entry.id.manager;
  encoded["operation"] = OperationText(entry.id.operation);
  if (!entry.id.subresource.empty()) encoded["subresource"] = entry.id.subresource;
  if (!entry.time.empty()) encoded["time"] = entry.time;
  return encoded;
}

bool WrittenBefore(const ManagedEntry* a, const ManagedEntry* b) {
  return std::tie(a->id.operation, a->time, a->id.manager, a->api_version, a->id.subresource) <
         std::tie(b->id.operation, b->time, b->id.manager, b->api_version, b->id.subresource);
}

// An entry as JSON without its time.
bool SameButTime(const Value& a, const Value& b) {
  if (!a.is_object() || !b.is_object()) return a == b;
  const auto& left = a.get_ref<const Value::object_t&>();
  const auto& right = b.get_ref<const Value::object_t&>();
  if (left.size() - left.count("time") != right.size() - right.count("time")) return false;
  return std::all_of(left.begin(), left.end(), [&right](const auto& member) {
    if (member.first == "time") return true;
    const auto other = right.find(member.first);
    return other != right.end() && other->second == member.second;
  });
}

// Whether two objects are the same apart from the member at a path.
bool SameApartFrom(const Value& a, const Value& b, const char* const* path, std::size_t length) {
  if (length == 0) return true;
  if (!a.is_object() || !b.is_object() || a.size() != b.size()) return false;
  const auto& right = b.get_ref<const Value::object_t&>();
  for (const auto& [key, value] : a.get_ref<const Value::object_t&>()) {
    const auto other = right.find(key);
    if (other == right.end()) return false;
    const bool same =
        key == *path ? SameApartFrom(value, other->second, path + 1, length - 1) : value == other->second;
    if (!same) return false;
  }
  return true;
}

}  // namespace

std::string ManagerId::Text() const {
  std::string text = "{";
  const auto add = [&text](const char* name, const std::string& value) {
    if (value.empty()) return;
    if (text.size() > 1) text += ',';
    text.append("\"").append(name).append("\":");
    json::AppendJsonString(text, value);
  };
  add("manager", manager);
  add("operation", OperationText(operation));
  add("apiVersion", api_version);
  add("subresource", subresource);
  return text + "}";
}

std::string ManagerId::Describe() const {
  std::string text = base::Quote(manager);
  if (!subresource.empty()) text += " with subresource " + base::Quote(subresource);
  if (operation == Operation::kUpdate) text += " using " + api_version;
  return text;
}

base::Result<ManagedFields> ManagedFields::Decode(const Value& managed_fields) {
  ManagedFields managed;
  if (!managed_fields.is_array()) return managed;
  managed.entries_.reserve(managed_fields.size());
  for (std::size_t i = 0; i < managed_fields.size(); ++i) {
    ANNEX_TRY(ManagedEntry entry, DecodeEntry(managed_fields[i], i));
    if (ManagedEntry* earlier = managed.Find(entry.id)) {
      *earlier = std::move(entry);
    } else {
      managed.entries_.push_back(std::move(entry));
    }
  }
  return managed;
}

Value ManagedFields::Encode() const {
  if (entries_.empty()) return nullptr;
  std::vector<const ManagedEntry*> sorted;
  sorted.reserve(entries_.size());
  for (const ManagedEntry& entry : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), WrittenBefore);
  Value encoded = Value::array();
  for (const ManagedEntry* entry : sorted) encoded.push_back(EncodeEntry(*entry));
  return encoded;
}

ManagedEntry* ManagedFields::Find(const ManagerId& id) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&id](const ManagedEntry& e) { return e.id == id; });
  return found == entries_.end() ? nullptr : &*found;
}

ManagedEntry& ManagedFields::FindOrAdd(const ManagerId& id, const std::string& api_version) {
  if (ManagedEntry* entry = Find(id)) return *entry;
  return entries_.emplace_back(ManagedEntry{id, api_version, {}, {}});
}

void ManagedFields::RemoveEmpty() {
  std::erase_if(entries_, [](const ManagedEntry& entry) { return entry.fields.Empty(); });
}

void ManagedFields::CapUpdates(std::size_t most) {
  std::vector<ManagerId> updates;
  for (const ManagedEntry& entry : entries_) {
    if (entry.id.operation == Operation::kUpdate) updates.push_back(entry.id);
  }
  if (updates.size() <= most) return;
  std::sort(updates.begin(), updates.end(), [this](const ManagerId& a, const ManagerId& b) {
    const std::string& a_time = Find(a)->time;
    const std::string& b_time = Find(b)->time;
    return a_time != b_time ? a_time < b_time : a.Text() < b.Text();
  });
  // The first of a version only lends its place; the second makes the bucket out of both.
  std::map<std::string, ManagerId> first_of_version;
  std::size_t count = updates.size();
  for (std::size_t i = 0; i < updates.size() && count > most; ++i) {
    const ManagedEntry entry = *Find(updates[i]);
    const auto [first, is_first] = first_of_version.emplace(entry.api_version, entry.id);
    if (is_first) continue;
    const ManagerId bucket{kAncientChanges, Operation::kUpdate, entry.api_version, ""};
    if (entry.id == bucket) continue;
    if (Find(bucket) == nullptr) Find(first->second)->id = bucket;
    ManagedEntry& merged = *Find(bucket);
    merged.fields = entry.fields.Union(merged.fields);
    merged.time = entry.time;
    std::erase_if(entries_, [&entry](const ManagedEntry& e) { return e.id == entry.id; });
    --count;
  }
}

bool IsReset(const Value& managed_fields) {
  if (!managed_fields.is_array() || managed_fields.size() > 1) return false;
  return managed_fields.empty() || (managed_fields[0].is_object() && managed_fields[0].empty());
}

void IgnoreTimesOfNoChange(Value& object, const Value& existing) {
  Value* managed = json::Find(object, "metadata");
  if (managed != nullptr) managed = json::Find(*managed, "managedFields");
  const Value* before = json::FindPath(existing, {"metadata", "managedFields"});
  if (managed == nullptr || before == nullptr || *managed == *before) return;
  if (!managed->is_array() || !before->is_array() || managed->size() != before->size()) return;
  if (!std::equal(managed->begin(), managed->end(), before->begin(), SameButTime)) return;
  constexpr const char* kPath[] = {"metadata", "managedFields"};
  if (SameApartFrom(object, existing, kPath, std::size(kPath))) *managed = *before;
}

}  // namespace annex::ownership
