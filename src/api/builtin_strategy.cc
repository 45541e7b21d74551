#include "builtin_strategy.h"

#include "annex/base/check.h"
#include "annex/schema/typed.h"

namespace annex::api {

base::Result<json::Value> BuiltinVersion::Convert(const json::Value&, std::string_view api_version) const {
  return base::Error(Unspecified("no conversion to " + std::string(api_version)));
}

json::Value BuiltinStrategy::NewObject() const {
  json::Value object = {{"apiVersion", ApiVersion()}, {"kind", kind()}};
  const auto read = schema::ReadTyped(object, identity_.type, "");
  ANNEX_CHECK(read.has_value(), "an object without fields can be read");
  return object;
}

base::Result<void> BuiltinStrategy::CompleteApplied(json::Value& object) const {
  const auto read = Coerce(object, nullptr);
  if (!read) return base::Error(Unspecified(read.error().message));
  return {};
}

base::Result<store::Mutation::State> BuiltinStrategy::ToStored(json::Value object) const {
  std::map<std::string, std::string> terms;
  if (const json::Value* labels = json::FindPath(object, {"metadata", "labels"});
      labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : labels->get_ref<const json::Value::object_t&>()) {
      if (value.is_string()) terms.emplace(selector::LabelTerm(key), value.get<std::string>());
    }
  }
  store::Mutation::State state;
  state.terms = selector::TermSet(terms);
  state.body = ToBody(object, &identity_.type);
  state.format = kFormat;
  return state;
}

base::Result<void> BuiltinStrategy::Coerce(json::Value& object,
                                           std::vector<std::string>* unknown_fields) const {
  schema::TypedReport report;
  ANNEX_RETURN_IF_ERROR(schema::ReadTyped(object, identity_.type, "", &report));
  if (unknown_fields != nullptr) *unknown_fields = std::move(report.unknown_fields);
  return schema::CoerceObjectMeta(object, schema::MalformedFields::kRefuse, "", nullptr);
}

}  // namespace annex::api
