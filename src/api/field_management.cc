#include "field_management.h"

#include "annex/base/clock.h"
#include "annex/base/strings.h"
#include "annex/schema/object_meta.h"
#include "field_versions.h"

#include <utility>

namespace annex::api {
namespace {

using json::Value;
using ownership::FieldManager;

// A User-Agent as the name of a manager: printable characters up to the first "/".
std::string ManagerFromUserAgent(std::string_view user_agent) {
  const std::string_view product = user_agent.substr(0, user_agent.find('/'));
  std::string name;
  for (std::size_t position = 0; position < product.size();) {
    const char32_t character = base::NextCodePoint(product, position);
    if (!base::IsPrintable(character)) continue;
    std::string bytes;
    base::AppendUtf8(bytes, character);
    if (name.size() + bytes.size() > schema::kMaxFieldManagerLength) break;
    name += bytes;
  }
  return name;
}

}  // namespace

Value TakeManagedFields(Value& object) {
  Value* metadata = json::Find(object, "metadata");
  Value* managed_fields = metadata == nullptr ? nullptr : json::Find(*metadata, "managedFields");
  if (managed_fields == nullptr) return nullptr;
  Value taken = std::move(*managed_fields);
  metadata->erase("managedFields");
  return taken;
}

void SetManagedFields(Value& object, Value managed_fields) {
  if (!managed_fields.is_null()) {
    object["metadata"]["managedFields"] = std::move(managed_fields);
  } else if (Value* metadata = json::Find(object, "metadata"); metadata != nullptr && metadata->is_object()) {
    metadata->erase("managedFields");
  }
}

FieldManager::Writer WriterOf(const Context& context, const std::string& given) {
  std::string manager =
      given.empty() ? ManagerFromUserAgent(context.request.headers.First("user-agent")) : given;
  return {std::move(manager), base::Rfc3339(context.parts.clock.Now())};
}

FieldManager FieldManagerFor(const Context& context, const ownership::Versions& versions,
                             Subresource subresource) {
  const Strategy& strategy = *context.strategy;
  FieldManager::Options options;
  options.api_version = strategy.ApiVersion();
  options.kind = strategy.kind();
  if (subresource == Subresource::kStatus) options.subresource = "status";
  options.reset_fields = strategy.ResetFields(subresource);
  options.new_object = strategy.NewObject();
  return {versions, std::move(options)};
}

base::Task<base::Result<void>> TrackCreate(const Context& context, Value& object,
                                           FieldManager::Writer writer) {
  const Value given = TakeManagedFields(object);
  const Value nothing = context.strategy->NewObject();
  FieldVersions versions(*context.strategy);
  while (true) {
    const FieldManager manager = FieldManagerFor(context, versions, Subresource::kNone);
    Value managed_fields = manager.Update(nothing, nullptr, object, given, writer);
    if (!versions.Missing()) {
      SetManagedFields(object, std::move(managed_fields));
      co_return base::Result<void>();
    }
    ANNEX_CO_RETURN_IF_ERROR(co_await versions.Fetch(context.executor()));
  }
}

void TrackUpdate(const Context& context, const ownership::Versions& versions, Value& existing, Value& object,
                 const FieldManager::Writer& writer, Subresource subresource, bool rewritten) {
  Value given = TakeManagedFields(object);
  Value live_managed = TakeManagedFields(existing);
  if (rewritten && (given.is_null() || given == live_managed) && object == existing) {
    SetManagedFields(object, live_managed);
  } else {
    SetManagedFields(object, FieldManagerFor(context, versions, subresource)
                                 .Update(existing, live_managed, object, given, writer));
  }
  SetManagedFields(existing, std::move(live_managed));
}

}  // namespace annex::api
