#include "list_query.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/schema/typed.h"

#include <algorithm>
#include <map>
#include <utility>

namespace annex::api {
namespace {

base::Result<void> AddField(const Strategy& strategy, const selector::FieldRequirement& requirement,
                            Selection& selection) {
  using Part = selector::KeyCondition::Part;
  if (requirement.field == "metadata.name") {
    selection.query.keys.push_back({Part::kName, requirement.equal, requirement.value});
    return {};
  }
  if (requirement.field == "metadata.namespace" && strategy.namespaced()) {
    selection.query.keys.push_back({Part::kNamespace, requirement.equal, requirement.value});
    return {};
  }
  const auto term = strategy.FieldTerm(requirement.field);
  if (!term) {
    if (strategy.builtin() && !strategy.group().empty()) {
      return base::Error(
          BadRequest(base::Quote(requirement.field) +
                     " is not a known field selector: only \"metadata.name\", \"metadata.namespace\""));
    }
    return base::Error(BadRequest("field label not supported: " + requirement.field));
  }
  if (!term->empty())
    selection.query.terms.push_back({*term,
                                     requirement.equal ? selector::Operator::kIn : selector::Operator::kNotIn,
                                     {requirement.value}});
  selection.fields.push_back(requirement);
  return {};
}

// What Go's path.Clean would change below the root: empty segments, "." and "..", a slash at the end.
bool IsClean(std::string_view key) {
  if (key.empty()) return true;
  const auto segments = base::Split(key, '/');
  return std::none_of(segments.begin(), segments.end(), [](std::string_view segment) {
    return segment.empty() || segment == "." || segment == "..";
  });
}

bool FieldsMatch(const Strategy& strategy, const std::vector<selector::FieldRequirement>& fields,
                 const json::Value& object) {
  return std::all_of(fields.begin(), fields.end(), [&](const selector::FieldRequirement& requirement) {
    return (strategy.FieldValue(object, requirement.field) == requirement.value) == requirement.equal;
  });
}

bool IsLabelTerm(const selector::TermCondition& condition) {
  return condition.name.starts_with('L');
}

schema::TypedField TokenField(std::string name, schema::TypedType::Kind kind, std::string go_name) {
  schema::TypedField field;
  field.name = std::move(name);
  field.type.kind = kind;
  field.type.go_name = std::move(go_name);
  return field;
}

// k8s.io/apiserver/pkg/storage/continue.go, whose reader's texts clients see.
const schema::TypedStruct& TokenType() {
  static const schema::TypedStruct type = [] {
    using Kind = schema::TypedType::Kind;
    schema::TypedStruct token;
    token.go_name = "continueToken";
    token.go_package = "storage";
    token.fields = {TokenField("rv", Kind::kInteger64, "int64"), TokenField("start", Kind::kText, "string"),
                    TokenField("v", Kind::kText, "string")};
    return token;
  }();
  return type;
}

// Go's own reader of JSON knows a field by its name in any case.
void TakeAnyCase(json::Value& token) {
  if (!token.is_object()) return;
  auto members = json::Value::object();
  for (auto& [key, value] : token.get_ref<json::Value::object_t&>())
    members[base::AsciiLower(key)] = std::move(value);
  token = std::move(members);
}

auto InvalidToken(const std::string& why) {
  return base::Error(BadRequest("invalid continue token: continue key is not valid: " + why));
}

}  // namespace

base::Result<bool> Selection::Judge(const Strategy& strategy, const store::Row& row) const {
  ANNEX_TRY(const json::Value object, ReadShown(strategy, row));
  return FieldsMatch(strategy, fields, object);
}

bool Selection::Matches(const Strategy& strategy, const json::Value& object) const {
  std::map<std::string, std::string> labels;
  const json::Value* members = json::FindPath(object, {"metadata", "labels"});
  if (members != nullptr && members->is_object()) {
    for (const auto& [key, value] : members->get_ref<const json::Value::object_t&>()) {
      if (value.is_string()) labels.emplace(selector::LabelTerm(key), value.get<std::string>());
    }
  }
  const selector::TermSet terms(labels);
  const bool labels_match =
      std::all_of(query.terms.begin(), query.terms.end(), [&](const selector::TermCondition& condition) {
        return !IsLabelTerm(condition) || condition.Matches(terms.encoded());
      });
  return labels_match && FieldsMatch(strategy, fields, object);
}

base::Result<bool> Selection::Matches(const Strategy& strategy, const store::Object& object) const {
  if (!object.key.starts_with(prefix)) return false;
  if (query.Empty()) return true;
  if (fields.empty() || object.format == strategy.terms_format())
    return query.Matches(object.key, object.terms.encoded());
  // The terms are from before the fields were what they are: labels count, fields are read from the object.
  if (!selector::KeysMatch(query.keys, object.key)) return false;
  for (const selector::TermCondition& condition : query.terms) {
    if (IsLabelTerm(condition) && !condition.Matches(object.terms.encoded())) return false;
  }
  return Judge(strategy, RowOf(object));
}

base::Result<Selection> Select(const Context& context, const ListOptions& options) {
  Selection selection;
  const Strategy& strategy = *context.strategy;
  if (strategy.namespaced() && !context.info.namespace_name.empty())
    selection.prefix = context.info.namespace_name + "/";
  selection.query.terms = options.labels;
  bool named = false;
  for (const selector::FieldRequirement& requirement : options.fields) {
    ANNEX_RETURN_IF_ERROR(AddField(strategy, requirement, selection));
    named = named || (requirement.field == "metadata.name" && requirement.equal &&
                      requirement.value == context.info.name);
  }
  // A list or watch of one name by its URL (the deprecated watch/…/NAME).
  const bool name_in_path = context.info.parts >= 2;
  if (name_in_path && !options.fields.empty() && !named) {
    return base::Error(BadRequest("fieldSelector metadata.name doesn't match requested name"));
  }
  if (name_in_path && !named) {
    selection.query.keys.push_back({selector::KeyCondition::Part::kName, true, context.info.name});
  }
  const bool one_place = !strategy.namespaced() || !selection.prefix.empty();
  selection.single =
      one_place && std::any_of(options.fields.begin(), options.fields.end(), [](const auto& field) {
        return field.field == "metadata.name" && field.equal;
      });
  return selection;
}

base::Result<ContinuePoint> DecodeContinue(const std::string& token, const std::string& prefix) {
  const auto bytes = base::Base64UrlDecode(token);
  if (!bytes) {
    // With good characters only, it is the last one that is too many.
    const auto bad =
        token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    return InvalidToken("illegal base64 data at input byte " +
                        std::to_string(std::min(bad, token.size() - 1)));
  }
  auto parsed = json::Parse(*bytes);
  if (!parsed) return InvalidToken(parsed.error().message);
  TakeAnyCase(*parsed);
  if (const auto typed = schema::ReadTyped(*parsed, TokenType(), ""); !typed)
    return InvalidToken(typed.error().message);
  if (json::TextAt(*parsed, {"v"}) != "meta.k8s.io/v1") {
    return InvalidToken("server does not recognize this encoded version " + json::TextAt(*parsed, {"v"}));
  }
  ContinuePoint point;
  point.revision = json::IntegerAt(*parsed, {"rv"});
  if (point.revision == 0)
    return InvalidToken("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  const std::string& start = json::TextAt(*parsed, {"start"});
  if (start.empty()) return InvalidToken("encoded start key empty (version meta.k8s.io/v1)");
  const std::string_view key = std::string_view(start).substr(start.starts_with('/') ? 1 : 0);
  if (!IsClean(key)) return InvalidToken(start);
  point.start = prefix + std::string(key);
  return point;
}

std::string EncodeContinue(const ContinuePoint& point, const std::string& prefix) {
  std::string text = "{\"v\":\"meta.k8s.io/v1\",\"rv\":" + std::to_string(point.revision) + ",\"start\":";
  json::AppendJsonString(text, "/" + point.start.substr(prefix.size()));
  text += '}';
  return base::Base64UrlEncode(text);
}

base::Result<PagePlan> PlanPage(const Parts& parts, const ListOptions& options, const Selection& selection) {
  PagePlan plan;
  plan.limit = options.limit;
  if (!options.continue_token.empty()) {
    ANNEX_TRY(ContinuePoint point, DecodeContinue(options.continue_token, selection.prefix));
    if (!options.resource_version.empty() && options.resource_version != "0") {
      return base::Error(BadRequest("specifying resource version is not allowed when using continue"));
    }
    // As below: resourceVersion=0 knows no pages.
    if (options.resource_version == "0") plan.limit = 0;
    plan.at = std::max<store::Revision>(point.revision, 0);
    plan.start = std::move(point.start);
    if (plan.at > parts.store.CurrentRevision()) {
      return base::Error(ResourceVersionTooLarge(std::to_string(plan.at), parts.store.CurrentRevision()));
    }
    return plan;
  }
  ANNEX_TRY(const store::Revision wanted,
            ParseResourceVersion(options.resource_version, VersionPlace::kList));
  if (wanted == 0) {
    // resourceVersion=0 is answered from memory by kube-apiserver, which then knows no pages.
    if (options.resource_version == "0") plan.limit = 0;
    return plan;
  }
  const store::Revision current = parts.store.CurrentRevision();
  if (wanted > current) return base::Error(ResourceVersionTooLarge(options.resource_version, current));
  // Without a match, a limit has always meant exactly this revision; but a list of one name has no pages.
  const bool legacy_exact =
      options.version_match == VersionMatch::kUnset && options.limit > 0 && !selection.single;
  if (options.version_match == VersionMatch::kExact || legacy_exact) plan.at = wanted;
  return plan;
}

base::Status ListExpired(const ListOptions& options, const std::string& start, const std::string& prefix) {
  if (options.continue_token.empty())
    return ExpiredList("The resourceVersion for the provided list is too old.");
  base::Status status = ExpiredList(
      "The provided continue parameter is too old to display a consistent list result. You can start a new "
      "list without the "
      "continue parameter, or use the continue token in this response to retrieve the remainder of the "
      "results. Continuing with "
      "the provided token results in an inconsistent list - objects that were created, modified, or deleted "
      "between the time "
      "the first chunk was returned and now may show up in the list.");
  status.continue_token = EncodeContinue({-1, start}, prefix);
  return status;
}

}  // namespace annex::api
