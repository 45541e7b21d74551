#include "builtin_strategy.h"

#include "annex/schema/typed.h"

namespace annex::api {

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
