#include "strategy.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/schema/types.h"

#include <string>
#include <vector>

namespace annex::api {

bool Strategy::HasPendingFinalizers(const json::Value& object) const {
  return !json::ItemsAt(object, {"metadata", "finalizers"}).empty();
}

base::Task<base::Result<std::vector<json::Value>>> Strategy::ConvertFromStored(
    std::vector<json::Value> objects, base::Executor& executor) const {
  co_return objects;
}

base::Task<base::Result<json::Value>> Strategy::ConvertToStorage(json::Value object,
                                                                 base::Executor& executor) const {
  co_return object;
}

base::Task<base::Result<json::Value>> Strategy::ConvertTo(json::Value object, std::string api_version,
                                                          base::Executor& executor) const {
  co_return base::Error(Unspecified("no webhook converts to " + api_version));
}

base::Result<json::Value> ReadStored(const Strategy& strategy, const store::Row& row) {
  std::string text;
  store::AppendBody(text, row.body, row.revision_at, row.revision);
  auto object = json::Parse(text);
  if (!object) {
    return base::Error(InternalError("the stored object " + std::string(row.key) +
                                     " cannot be read: " + object.error().message));
  }
  if (!strategy.ServesAsStored(row.format)) ANNEX_RETURN_IF_ERROR(strategy.FromStored(*object));
  return object;
}

base::Result<json::Value> ReadStored(const Strategy& strategy, const store::Object& object) {
  return ReadStored(strategy, RowOf(object));
}

base::Result<json::Value> ReadShown(const Strategy& strategy, const store::Row& row) {
  ANNEX_TRY(json::Value object, ReadStored(strategy, row));
  if (!strategy.HasWebhook() || json::TextAt(object, {"apiVersion"}) == strategy.ApiVersion()) return object;
  return base::Error(Unspecified("the object " + std::string(row.key) + " is stored as " +
                                 json::TextAt(object, {"apiVersion"}) +
                                 ", which status.storedVersions of its definition does not have"));
}

store::Row RowOf(const store::Object& object) {
  store::Row row;
  row.key = object.key;
  row.revision = object.revision;
  row.body = object.body.bytes;
  row.revision_at = object.body.revision_at;
  row.terms = object.terms.encoded();
  row.format = object.format;
  return row;
}

namespace {

std::vector<schema::TypedMember> MembersOf(const json::Value& object, const schema::TypedStruct* structure) {
  if (structure != nullptr) return schema::MembersInOrder(object, *structure);
  std::vector<schema::TypedMember> members;
  for (const auto& [key, member] : object.get_ref<const json::Value::object_t&>()) {
    members.push_back({key, &member, nullptr});
  }
  return members;
}

// Appends the members of an object; `special` may append one of them in its own way and say so.
template <typename Special>
void AppendMembers(std::string& out, const std::vector<schema::TypedMember>& members, Special special) {
  out += '{';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    json::AppendJsonString(out, members[i].name);
    out += ':';
    if (!special(members[i])) schema::AppendTyped(out, members[i]);
  }
  out += '}';
}

}  // namespace

store::Body ToBody(json::Value& object, const schema::TypedStruct* structure) {
  object["metadata"]["resourceVersion"] = "";
  const schema::TypedStruct* metadata_struct = structure == nullptr ? nullptr : &schema::ObjectMetaType();
  store::Body body;
  AppendMembers(body.bytes, MembersOf(object, structure), [&](const schema::TypedMember& member) {
    if (member.name != "metadata") return false;
    AppendMembers(body.bytes, MembersOf(*member.value, metadata_struct),
                  [&body](const schema::TypedMember& field) {
                    if (field.name != "resourceVersion") return false;
                    body.bytes += '"';
                    body.revision_at = static_cast<std::uint32_t>(body.bytes.size());
                    body.bytes += '"';
                    return true;
                  });
    return true;
  });
  return body;
}

void AppendObject(std::string& out, const json::Value& object, const Strategy& strategy) {
  if (const schema::TypedStruct* structure = strategy.go_struct()) {
    schema::AppendTyped(out, object, *structure);
  } else {
    json::AppendJson(out, object);
  }
}

std::string KeyOf(const Strategy& strategy, const std::string& namespace_name, const std::string& name) {
  return strategy.namespaced() ? namespace_name + "/" + name : name;
}

}  // namespace annex::api
