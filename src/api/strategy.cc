#include "strategy.h"

#include "annex/json/read.h"
#include "annex/json/write.h"

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

// Appends the members of an object; `special` may append one of them in its own way and say so.
template <typename Special>
void AppendMembers(std::string& out, const json::Value& object, Special special) {
  out += '{';
  bool first = true;
  for (const auto& [key, member] : object.get_ref<const json::Value::object_t&>()) {
    if (!first) out += ',';
    first = false;
    json::AppendJsonString(out, key);
    out += ':';
    if (!special(key, member)) json::AppendJson(out, member);
  }
  out += '}';
}

}  // namespace

store::Body ToBody(json::Value& object) {
  object["metadata"]["resourceVersion"] = "";
  store::Body body;
  AppendMembers(body.bytes, object, [&body](const std::string& key, const json::Value& member) {
    if (key != "metadata") return false;
    AppendMembers(body.bytes, member, [&body](const std::string& meta_key, const json::Value&) {
      if (meta_key != "resourceVersion") return false;
      body.bytes += '"';
      body.revision_at = static_cast<std::uint32_t>(body.bytes.size());
      body.bytes += '"';
      return true;
    });
    return true;
  });
  return body;
}

std::string KeyOf(const Strategy& strategy, const std::string& namespace_name, const std::string& name) {
  return strategy.namespaced() ? namespace_name + "/" + name : name;
}

}  // namespace annex::api
