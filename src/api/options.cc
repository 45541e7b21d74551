#include "options.h"

#include "annex/base/strings.h"
#include "annex/json/field_error.h"
#include "annex/json/read.h"
#include "annex/json/yaml.h"
#include "annex/schema/typed.h"
#include "annex/schema/types.h"
#include "annex/selector/label_selector.h"
#include "decode.h"
#include "negotiation.h"
#include "protobuf_read.h"
#include "status_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace annex::api {
namespace {

using json::FieldErrors;
using json::FieldPath;

constexpr std::size_t kMaxFieldManager = 128;

base::Result<void> Checked(const FieldErrors& errors, const std::string& kind) {
  if (errors.empty()) return {};
  return base::Error(Invalid("meta.k8s.io", kind, "", errors));
}

void CheckDryRun(const std::vector<std::string>& values, FieldErrors& errors) {
  const bool known =
      std::all_of(values.begin(), values.end(), [](const std::string& value) { return value == "All"; });
  if (!known) errors.push_back(json::NotSupportedError(FieldPath("dryRun"), json::Value(values), {"All"}));
}

bool IsPrintable(char32_t code_point) {
  return code_point >= 0x20 && (code_point < 0x7F || code_point > 0xA0) && code_point != 0xAD;
}

void CheckFieldManager(const std::string& manager, FieldErrors& errors) {
  const FieldPath path("fieldManager");
  if (manager.size() > kMaxFieldManager) errors.push_back(json::TooLongError(path, kMaxFieldManager));
  for (std::size_t position = 0; position < manager.size();) {
    const std::size_t begin = position;
    const char32_t code_point = base::NextCodePoint(manager, position);
    if (IsPrintable(code_point)) continue;
    std::array<char, 16> shown{};
    std::snprintf(shown.data(), shown.size(), "U+%04X", static_cast<unsigned>(code_point));
    errors.push_back(json::InvalidError(
        path, manager,
        std::string("invalid character ") + shown.data() + " (at position " + std::to_string(begin) + ")"));
  }
}

base::Result<FieldValidation> CheckFieldValidation(const std::string& text, FieldErrors& errors) {
  if (text == "Ignore") return FieldValidation::kIgnore;
  if (text == "Strict") return FieldValidation::kStrict;
  if (!text.empty() && text != "Warn") {
    errors.push_back(
        json::NotSupportedError(FieldPath("fieldValidation"), text, {"", "Ignore", "Strict", "Warn"}));
  }
  return FieldValidation::kWarn;
}

base::Result<std::optional<std::int64_t>> OptionalInteger(const QueryParameters& query, const char* name) {
  if (!query.Has(name)) return std::optional<std::int64_t>();
  const std::string& text = query.Get(name);
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const bool digits = text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
  const auto value = base::ParseInt64(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
  if (digits && value) return std::optional<std::int64_t>(*value);
  return base::Error(BadRequest("strconv.ParseInt: parsing " + base::Quote(text) +
                                (digits ? ": value out of range" : ": invalid syntax")));
}

base::Result<VersionMatch> ReadVersionMatch(const std::string& text, FieldErrors& errors, bool watch) {
  if (text == "Exact" && !watch) return VersionMatch::kExact;
  if (text == "NotOlderThan") return VersionMatch::kNotOlderThan;
  if (!text.empty()) {
    std::vector<std::string> supported = {"NotOlderThan"};
    if (!watch) supported = {"Exact", "NotOlderThan", ""};
    errors.push_back(json::NotSupportedError(FieldPath("resourceVersionMatch"), text, supported));
  }
  return VersionMatch::kUnset;
}

void CheckList(const ListOptions& options, const std::string& match, FieldErrors& errors) {
  const FieldPath path("resourceVersionMatch");
  if (!match.empty() && options.resource_version.empty()) {
    errors.push_back(
        json::ForbiddenError(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (!match.empty() && !options.continue_token.empty()) {
    errors.push_back(
        json::ForbiddenError(path, "resourceVersionMatch is forbidden when continue is provided"));
  }
}

void CheckWatch(const ListOptions& options, const std::string& match, FieldErrors& errors) {
  const FieldPath path("resourceVersionMatch");
  if (options.send_initial_events && match != "NotOlderThan") {
    errors.push_back(json::ForbiddenError(
        path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  // A watch from nowhere begins with what is there, as if sendInitialEvents had asked for it.
  const bool from_nowhere = options.resource_version.empty() || options.resource_version == "0";
  if (match.empty()) {
    if (!options.continue_token.empty() && from_nowhere && !options.send_initial_events) {
      errors.push_back(
          json::ForbiddenError(path, "resourceVersionMatch is forbidden when continue is provided"));
    }
    return;
  }
  if (!options.send_initial_events) {
    errors.push_back(json::ForbiddenError(
        path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (!options.continue_token.empty()) {
    errors.push_back(
        json::ForbiddenError(path, "resourceVersionMatch is forbidden when continue is provided"));
  }
}

Propagation ReadPropagation(const std::string& text, FieldErrors& errors) {
  if (text == "Foreground") return Propagation::kForeground;
  if (text == "Background") return Propagation::kBackground;
  if (text == "Orphan") return Propagation::kOrphan;
  errors.push_back(json::NotSupportedError(FieldPath("propagationPolicy"), text,
                                           {"Foreground", "Background", "Orphan", "nil"}));
  return Propagation::kUnset;
}

// A body without a kind is taken for DeleteOptions, and DeleteOptions are those of any group and version.
base::Result<void> CheckDeleteKind(const std::string& kind, const std::string& api_version) {
  if (kind.empty() || kind == "DeleteOptions") return {};
  return base::Error(Unspecified(KindNotRegistered(kind, api_version.empty() ? "v1" : api_version)));
}

base::Result<json::Value> DecodeProtobufDeleteBody(const std::string& body) {
  const auto document = ReadProtobufDocument(body);
  if (!document) return base::Error(Unspecified(document.error().message));
  ANNEX_RETURN_IF_ERROR(CheckDeleteKind(document->kind, document->api_version));
  auto options = ReadProtobufMessage(document->message, schema::DeleteOptionsType());
  if (!options) return base::Error(Unspecified(options.error().message));
  return options;
}

// The body of a DELETE as an object.
base::Result<json::Value> DecodeDeleteBody(const base::Headers& headers, const std::string& body) {
  ANNEX_TRY(const Encoding encoding, NegotiateInput(headers));
  if (encoding == Encoding::kProtobuf) return DecodeProtobufDeleteBody(body);
  auto parsed = encoding == Encoding::kYaml ? json::ParseYaml(body) : json::Parse(body);
  if (!parsed) {
    const std::string before =
        encoding == Encoding::kYaml ? "" : "couldn't get version/kind; json parse error: ";
    return base::Error(Unspecified(before + parsed.error().message));
  }
  if (const auto typed = CheckTypeMeta(*parsed); !typed)
    return base::Error(Unspecified(typed.error().message));
  ANNEX_RETURN_IF_ERROR(
      CheckDeleteKind(json::TextAt(*parsed, {"kind"}), json::TextAt(*parsed, {"apiVersion"})));
  auto typed = schema::ReadTyped(*parsed, schema::DeleteOptionsType(), "");
  if (!typed) return base::Error(Unspecified(typed.error().message));
  return parsed;
}

base::Result<DeleteOptions> FromBody(const json::Value& body, FieldErrors& errors) {
  DeleteOptions options;
  std::vector<std::string> dry_run;
  for (const json::Value& item : json::ItemsAt(body, {"dryRun"})) {
    if (item.is_string()) dry_run.push_back(item.get<std::string>());
  }
  options.dry_run = !dry_run.empty();
  if (const json::Value* orphan = json::Find(body, "orphanDependents");
      orphan != nullptr && orphan->is_boolean()) {
    options.orphan_dependents = orphan->get<bool>();
  }
  const json::Value* policy = json::Find(body, "propagationPolicy");
  if (policy != nullptr && options.orphan_dependents) {
    errors.push_back(json::InvalidError(FieldPath("propagationPolicy"), *policy,
                                        "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (policy != nullptr && policy->is_string())
    options.propagation = ReadPropagation(policy->get<std::string>(), errors);
  CheckDryRun(dry_run, errors);
  if (const json::Value* uid = json::FindPath(body, {"preconditions", "uid"});
      uid != nullptr && uid->is_string()) {
    options.uid = uid->get<std::string>();
  }
  const json::Value* version = json::FindPath(body, {"preconditions", "resourceVersion"});
  if (version != nullptr && version->is_string()) options.resource_version = version->get<std::string>();
  return options;
}

base::Result<DeleteOptions> FromQuery(const QueryParameters& query, FieldErrors& errors) {
  DeleteOptions options;
  ANNEX_RETURN_IF_ERROR(OptionalInteger(query, "gracePeriodSeconds"));
  // Preconditions, though nobody calls them so in a query.
  if (!query.Get("uid").empty()) options.uid = query.Get("uid");
  if (!query.Get("resourceVersion").empty()) options.resource_version = query.Get("resourceVersion");
  const auto dry_run = query.All("dryRun");
  options.dry_run = !dry_run.empty();
  options.orphan_dependents = OptionalFlag(query, "orphanDependents");
  if (query.Has("propagationPolicy")) {
    const std::string& policy = query.Get("propagationPolicy");
    if (options.orphan_dependents) {
      errors.push_back(json::InvalidError(FieldPath("propagationPolicy"), policy,
                                          "orphanDependents and deletionPropagation cannot be both set"));
    }
    options.propagation = ReadPropagation(policy, errors);
  }
  CheckDryRun(dry_run, errors);
  return options;
}

base::Result<WriteOptions> CheckedWriteOptions(const QueryParameters& query, const std::string& kind,
                                               FieldErrors errors) {
  WriteOptions options;
  const auto dry_run = query.All("dryRun");
  options.dry_run = !dry_run.empty();
  options.field_manager = query.Get("fieldManager");
  CheckFieldManager(options.field_manager, errors);
  CheckDryRun(dry_run, errors);
  ANNEX_TRY(options.field_validation, CheckFieldValidation(query.Get("fieldValidation"), errors));
  ANNEX_RETURN_IF_ERROR(Checked(errors, kind));
  return options;
}

}  // namespace

std::optional<bool> OptionalFlag(const QueryParameters& query, std::string_view name) {
  if (!query.Has(name)) return std::nullopt;
  const std::string lower = base::AsciiLower(query.Get(name));
  return lower != "false" && lower != "0";
}

base::Result<WriteOptions> ReadWriteOptions(const QueryParameters& query, const std::string& kind) {
  FieldErrors errors;
  if (kind == "PatchOptions" && query.Has("force")) {
    errors.push_back(json::ForbiddenError(FieldPath("force"), "may not be specified for non-apply patch"));
  }
  return CheckedWriteOptions(query, kind, std::move(errors));
}

base::Result<WriteOptions> ReadApplyOptions(const QueryParameters& query) {
  FieldErrors errors;
  if (query.Get("fieldManager").empty())
    errors.push_back(json::RequiredError(FieldPath("fieldManager"), "is required for apply patch"));
  ANNEX_TRY(WriteOptions options, CheckedWriteOptions(query, "PatchOptions", std::move(errors)));
  options.force = OptionalFlag(query, "force").value_or(false);
  return options;
}

base::Result<ListOptions> ReadListOptions(const QueryParameters& query, bool watch) {
  ListOptions options;
  options.watch = watch;
  // Kubernetes reads the numbers first, then the selectors.
  ANNEX_TRY(options.timeout_seconds, OptionalInteger(query, "timeoutSeconds"));
  ANNEX_TRY(const auto limit, OptionalInteger(query, "limit"));
  options.limit = std::max<std::int64_t>(limit.value_or(0), 0);
  ANNEX_TRY(options.labels, selector::ParseLabelSelector(query.Get("labelSelector")));
  ANNEX_TRY(options.fields, selector::ParseFieldSelector(query.Get("fieldSelector")));
  options.resource_version = query.Get("resourceVersion");
  options.continue_token = query.Get("continue");
  options.allow_bookmarks = OptionalFlag(query, "allowWatchBookmarks").value_or(false);
  options.send_initial_events = OptionalFlag(query, "sendInitialEvents");

  const std::string& match = query.Get("resourceVersionMatch");
  FieldErrors errors;
  if (watch) {
    CheckWatch(options, match, errors);
  } else {
    CheckList(options, match, errors);
  }
  ANNEX_TRY(options.version_match, ReadVersionMatch(match, errors, watch));
  if (!watch && options.version_match == VersionMatch::kExact && options.resource_version == "0") {
    errors.push_back(
        json::ForbiddenError(FieldPath("resourceVersionMatch"),
                             "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
  if (!watch && options.send_initial_events) {
    errors.push_back(
        json::ForbiddenError(FieldPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"));
  }
  ANNEX_RETURN_IF_ERROR(Checked(errors, "ListOptions"));
  return options;
}

base::Result<DeleteOptions> ReadDeleteOptions(const base::Headers& headers, const std::string& body,
                                              const QueryParameters& query) {
  FieldErrors errors;
  DeleteOptions options;
  if (body.empty()) {
    ANNEX_TRY(options, FromQuery(query, errors));
  } else {
    ANNEX_TRY(const json::Value decoded, DecodeDeleteBody(headers, body));
    ANNEX_TRY(options, FromBody(decoded, errors));
  }
  ANNEX_RETURN_IF_ERROR(Checked(errors, "DeleteOptions"));
  return options;
}

base::Result<IncludeObject> ReadIncludeObject(const QueryParameters& query, Form form) {
  if (form != Form::kTable) return IncludeObject::kMetadata;
  const std::string& text = query.Get("includeObject");
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "Object") return IncludeObject::kObject;
  if (text == "None") return IncludeObject::kNone;
  return base::Error(BadRequest(
      "Unable to convert to Table as requested: " +
      json::InvalidError(FieldPath("includeObject"), text, "must be 'Metadata', 'Object', 'None', or empty")
          .Message()));
}

base::Result<store::Revision> ParseResourceVersion(const std::string& text, VersionPlace place) {
  if (text.empty()) return 0;
  // A revision beyond 63 bits is as far in the future as the last one.
  if (const auto value = base::ParseUint64(text)) {
    return static_cast<store::Revision>(std::min(*value, static_cast<std::uint64_t>(INT64_MAX)));
  }
  const std::string problem =
      json::InvalidError(FieldPath("resourceVersion"), text, ParseUintProblem(text)).Message();
  if (place == VersionPlace::kList) return base::Error(BadRequest("invalid resource version: " + problem));
  return base::Error(Unspecified(problem));
}

}  // namespace annex::api
