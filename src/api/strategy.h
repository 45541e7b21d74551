// Strategy: what differs from resource to resource while a verb is carried out (Kubernetes' registry/rest
// strategies).
//
// Verbs work on objects as the request's version shows them; a strategy reads stored bytes into that form and
// brings it back into the stored one. The store sees neither.
//
// Thread rule: immutable and thread-safe. Ownership: made for one request, or shared by those of one watch.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/definition/resource.h"
#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "annex/ownership/field_manager.h"
#include "annex/ownership/scale_fields.h"
#include "annex/schema/object_meta.h"
#include "annex/schema/typed.h"
#include "annex/store/store.h"
#include "status_text.h"
#include "strategic_merge.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

enum class Subresource : std::uint8_t { kNone, kStatus, kScale };

// A column of the Table form after Name.
struct TableColumn {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  std::int64_t priority = 0;
  json::JsonPath path;
  // How the cell shows a time, whatever the column's type is: a date is shown as an age otherwise.
  enum class Time : std::uint8_t { kByType, kAge, kExact } time = Time::kByType;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // --- identity
  virtual const std::string& group() const = 0;  // "" for the core group
  virtual const std::string& version() const = 0;
  virtual const std::string& plural() const = 0;
  virtual const std::string& kind() const = 0;
  virtual const std::string& list_kind() const = 0;
  virtual bool namespaced() const = 0;
  virtual store::CollectionId collection() const = 0;
  std::string ApiVersion() const { return group().empty() ? version() : group() + "/" + version(); }
  GroupResource resource() const { return {group(), plural()}; }

  // A built-in type of Kubernetes (definitions, namespaces), not a custom resource.
  virtual bool builtin() const { return false; }
  virtual bool HasStatus() const = 0;
  virtual const definition::ScaleSubresource* scale() const { return nullptr; }
  virtual std::vector<TableColumn> Columns() const = 0;
  // Whether a PUT without a resourceVersion replaces whatever is there.
  virtual bool AllowsUnconditionalUpdate() const { return false; }

  // --- stored form
  // Whether bytes stored under `format` are already what a client of this version gets.
  virtual bool ServesAsStored(std::uint64_t format) const = 0;
  // The fingerprint whose terms answer selectors on fields.
  virtual std::uint64_t terms_format() const = 0;
  // Brings a stored object (read as JSON) into this version: malformed metadata dropped, defaulted, pruned,
  // converted unless a webhook has to do that.
  virtual base::Result<void> FromStored(json::Value& object) const = 0;
  // The fingerprint, body and terms to store an object of this version with. REQUIRES: ConvertToStorage came
  // first, if a webhook converts.
  virtual base::Result<store::Mutation::State> ToStored(json::Value object) const = 0;
  // Whether objects of this version are stored in another one.
  virtual bool StoresOtherVersion() const { return false; }
  // The store's term for a field that selectors may name beside metadata's; nullopt if they may not, "" if
  // objects have no such term.
  virtual std::optional<std::string> FieldTerm(std::string_view /*field*/) const { return std::nullopt; }
  // The value of such a field in an object of this version.
  virtual std::string FieldValue(const json::Value& /*object*/, std::string_view /*field*/) const {
    return "";
  }

  // Whether the objects are about to be served elsewhere: see definition::Resource::Options.
  virtual bool Leaving() const { return false; }

  // --- conversion by webhook: stored_form.h does it where it is needed
  // Whether a webhook converts objects between this version and another one.
  virtual bool HasWebhook() const { return false; }
  // Whether a list may meet stored objects that the webhook has to convert.
  virtual bool ListsThroughWebhook() const { return false; }
  // Objects as FromStored left them, in this version: one call for all that are of another one.
  virtual base::Task<base::Result<std::vector<json::Value>>> ConvertFromStored(
      std::vector<json::Value> objects, base::Executor& executor) const;
  // An object of this version in the storage version.
  virtual base::Task<base::Result<json::Value>> ConvertToStorage(json::Value object,
                                                                 base::Executor& executor) const;
  // Tells apart what is shown of the same stored object: by version and by state of the definition.
  virtual std::uint64_t conversion_form() const { return 0; }

  // --- a request's object
  // The struct that objects are in Go, which decides the order of their keys and what a body in protobuf is;
  // nullptr for custom resources, which are maps there.
  virtual const schema::TypedStruct* go_struct() const { return nullptr; }
  // Reads what a client sent: prunes, defaults; unknown fields go to `unknown_fields`. Errors: BadRequest.
  virtual base::Result<void> Coerce(json::Value& object, std::vector<std::string>* unknown_fields) const = 0;

  // The lists that a strategic merge patch merges.
  virtual std::vector<MergedList> merged_lists() const { return {}; }

  // An error if objects cannot be created now.
  virtual base::Result<void> CheckCreatable(const std::string& /*name*/) const { return {}; }
  virtual void PrepareForCreate(json::Value& object) const = 0;
  virtual json::FieldErrors Validate(const json::Value& object) const = 0;
  virtual void PrepareForUpdate(json::Value& object, const json::Value& old_object,
                                Subresource subresource) const = 0;
  virtual json::FieldErrors ValidateUpdate(const json::Value& object, const json::Value& old_object,
                                           Subresource subresource) const = 0;
  // Warning headers for a write; `old_object` is nullptr for a create.
  virtual std::vector<std::string> WarningsFor(const json::Value& /*object*/,
                                               const json::Value* /*old_object*/) const {
    return {};
  }
  // Warning headers for any request (a deprecated version).
  virtual std::vector<std::string> RequestWarnings() const { return {}; }

  // --- field ownership
  // The versions that field managers' entries may be of.
  virtual const ownership::Versions& versions() const = 0;
  // An object of this version as the webhook shows it in another one. REQUIRES: HasWebhook. Errors: without a
  // reason.
  virtual base::Task<base::Result<json::Value>> ConvertTo(json::Value object, std::string api_version,
                                                          base::Executor& executor) const;
  // What PrepareForCreate and PrepareForUpdate do not take from requests to `subresource`.
  virtual ownership::FieldSet ResetFields(Subresource subresource) const = 0;
  // An object of this version in which nothing is set yet.
  virtual json::Value NewObject() const = 0;
  // Where the versions have their replicas.
  virtual ownership::ReplicasPaths ReplicasPaths() const { return {}; }
  // Sets defaults in an object that an apply made, and reads its metadata as that of a request's object.
  // Errors: without a reason.
  virtual base::Result<void> CompleteApplied(json::Value& object) const = 0;

  // --- deletion
  // An error if the object `name` may not be deleted at all.
  virtual base::Result<void> CheckDeletable(const std::string& /*name*/) const { return {}; }
  // Whether something must happen before the object can go.
  virtual bool HasPendingFinalizers(const json::Value& object) const;
  // Called when a deletion begins, beside setting deletionTimestamp.
  virtual void BeginDeletion(json::Value& object, const std::string& now) const {}
  // Whether the object always takes the way over deletionTimestamp, even without finalizers.
  virtual bool DeletesGracefully() const { return false; }
  // Whether a deletion begins with deletionTimestamp and BeginDeletion alone: it sets no time of grace, does
  // not count as a new generation, and what becomes of dependents cannot be asked for.
  virtual bool BeginsDeletionItself() const { return false; }
  // Whether a deletion answers with the object that was deleted instead of a Status.
  virtual bool ReturnsDeletedObject() const { return false; }
};

using StrategyPtr = std::shared_ptr<const Strategy>;

// The object in `row` or `object`, in the strategy's version (but for what a webhook has to convert) and with
// its resourceVersion.
base::Result<json::Value> ReadStored(const Strategy& strategy, const store::Row& row);
base::Result<json::Value> ReadStored(const Strategy& strategy, const store::Object& object);

// The same where no webhook is asked. Errors: without a reason, if one would have to be.
base::Result<json::Value> ReadShown(const Strategy& strategy, const store::Row& row);

// A row that shows an object (its views live as long as the object).
store::Row RowOf(const store::Object& object);

// Writes an object as the store keeps it: canonical JSON (with the keys in the order of `structure`, if it is
// one) with the place of the resourceVersion's digits known.
store::Body ToBody(json::Value& object, const schema::TypedStruct* structure = nullptr);

// Writes an object as Go would: the keys of built-in types in the order of their structs.
void AppendObject(std::string& out, const json::Value& object, const Strategy& strategy);

// "NAMESPACE/NAME" or "NAME"; the store's key of an object.
std::string KeyOf(const Strategy& strategy, const std::string& namespace_name, const std::string& name);

}  // namespace annex::api
