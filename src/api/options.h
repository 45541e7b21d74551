// The options of requests: what the query (and a DELETE's body) says beside the path.
//
// Errors: BadRequest for what cannot be read, Invalid ("CreateOptions.meta.k8s.io …") for what makes no
// sense.
//
// Thread rule: free functions and value types.
#pragma once

#include "annex/base/headers.h"
#include "annex/base/result.h"
#include "annex/selector/field_selector.h"
#include "annex/selector/query.h"
#include "annex/store/object.h"
#include "negotiation.h"
#include "query_parameters.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

// CreateOptions, UpdateOptions and PatchOptions.
struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;
  bool force = false;  // of an apply
  FieldValidation field_validation = FieldValidation::kWarn;
};
// `kind`: "CreateOptions", "UpdateOptions" or "PatchOptions", for messages.
base::Result<WriteOptions> ReadWriteOptions(const QueryParameters& query, const std::string& kind);
// The PatchOptions of an apply, which may be forced and has to name its manager.
base::Result<WriteOptions> ReadApplyOptions(const QueryParameters& query);

// A flag: every text but "false" and "0" is true, as Kubernetes reads it. nullopt if it is not given.
std::optional<bool> OptionalFlag(const QueryParameters& query, std::string_view name);

enum class VersionMatch : std::uint8_t { kUnset, kExact, kNotOlderThan };

struct ListOptions {
  bool watch = false;
  std::vector<selector::TermCondition> labels;
  std::vector<selector::FieldRequirement> fields;
  std::string resource_version;  // as given
  VersionMatch version_match = VersionMatch::kUnset;
  std::int64_t limit = 0;
  std::string continue_token;
  std::optional<std::int64_t> timeout_seconds;
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events;

  bool HasSelectors() const { return !labels.empty() || !fields.empty(); }
};
// `watch`: whether the request is one, whatever the query says.
base::Result<ListOptions> ReadListOptions(const QueryParameters& query, bool watch);

enum class Propagation : std::uint8_t { kUnset, kForeground, kBackground, kOrphan };

struct DeleteOptions {
  bool dry_run = false;
  std::optional<bool> orphan_dependents;
  Propagation propagation = Propagation::kUnset;
  std::optional<std::string> uid;               // precondition
  std::optional<std::string> resource_version;  // precondition
};
// From the body if there is one, else from the query.
base::Result<DeleteOptions> ReadDeleteOptions(const base::Headers& headers, const std::string& body,
                                              const QueryParameters& query);

// How much of a row's object a Table shows (?includeObject=). Other forms than a Table show what they do, and
// do not look at the parameter. Errors: BadRequest.
enum class IncludeObject : std::uint8_t { kMetadata, kObject, kNone };
base::Result<IncludeObject> ReadIncludeObject(const QueryParameters& query, Form form);

// A resourceVersion that a client gave: "" is 0 (unset). Errors: BadRequest in `list`, else without reason
// (HTTP 500), as kube-apiserver has it.
enum class VersionPlace : std::uint8_t { kList, kOther };
base::Result<store::Revision> ParseResourceVersion(const std::string& text, VersionPlace place);

}  // namespace annex::api
