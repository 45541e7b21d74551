// POST: decode -> namespace lifecycle -> field ownership -> system fields -> (admission: not yet) -> prepare
// -> validate -> commit.

#include "create.h"

#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "annex/schema/object_meta.h"
#include "decode.h"
#include "field_management.h"
#include "guaranteed_update.h"
#include "object_checks.h"
#include "presenter.h"
#include "stored_form.h"
#include "verbs.h"

#include <utility>

namespace annex::api {
namespace {

// Generated names are random: this many tries all meet a taken one only if a prefix is about to be used up.
constexpr int kNameAttempts = 8;
constexpr std::size_t kGeneratedPrefixLength = 58;  // leaves room for the suffix in 63 characters
constexpr std::size_t kGeneratedSuffixLength = 5;

std::string GenerateName(base::Random& random, const std::string& prefix) {
  return prefix.substr(0, kGeneratedPrefixLength) + random.NameSuffix(kGeneratedSuffixLength);
}

// How admission calls an object whose name is not generated yet (extractResourceName of apiserver's
// admission).
const std::string& NameForAdmission(const json::Value& object) {
  static const std::string unknown = "Unknown";
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  const std::string& generate_name = json::TextAt(object, {"metadata", "generateName"});
  if (!name.empty()) return name;
  return generate_name.empty() ? unknown : generate_name;
}

// What the client sent, as far as it counts, in the request's version.
base::Result<json::Value> PrepareObject(Context& context, const WriteOptions& options) {
  ANNEX_TRY(json::Value object, DecodeObject(context, options.field_validation));
  if (!object["metadata"].is_object()) object["metadata"] = json::Value::object();
  WipeSystemFields(object);
  ANNEX_RETURN_IF_ERROR(EnsureNamespace(context, object));
  DedupOwnerReferences(context, object);
  ANNEX_RETURN_IF_ERROR(CheckNamespaceLifecycle(context, NameForAdmission(object), true));
  ANNEX_RETURN_IF_ERROR(context.strategy->CheckCreatable(json::TextAt(object, {"metadata", "name"})));
  return object;
}

// The failure when the name is taken.
base::Status NameTaken(Context& context, const std::string& name) {
  base::Status status = AlreadyExists(context.resource(), name);
  const auto existing = context.parts.store.Load(context.strategy->collection(),
                                                 KeyOf(*context.strategy, context.info.namespace_name, name));
  if (!existing || !*existing) return status;
  const auto object = ReadStored(*context.strategy, **existing);
  if (object && json::FindPath(*object, {"metadata", "deletionTimestamp"}) != nullptr) {
    status.message = "object is being deleted: " + status.message;
  }
  return status;
}

}  // namespace

base::Result<void> ValidateNew(Context& context, json::Value& object, bool dry_run) {
  const Strategy& strategy = *context.strategy;
  const std::string& name = json::TextAt(object, {"metadata", "name"});
  strategy.PrepareForCreate(object);
  if (const auto errors = strategy.Validate(object); !errors.empty()) {
    return base::Error(Invalid(strategy.group(), json::TextAt(object, {"kind"}), name, errors));
  }
  for (std::string& warning : strategy.WarningsFor(object, nullptr)) context.Warn(std::move(warning));
  // The store would complain (of a number, not of other texts); a dry run does not come so far.
  const auto version = base::ParseUint64(json::TextAt(object, {"metadata", "resourceVersion"}));
  if (!dry_run && version && *version != 0) {
    return base::Error(Unspecified("resourceVersion should not be set on objects to be created"));
  }
  return {};
}

base::Task<VerbResult> Create(Context& context) {
  ANNEX_CO_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  ANNEX_CO_RETURN_IF_ERROR(NegotiateInput(context.request.headers));
  ANNEX_CO_TRY(const WriteOptions options, ReadWriteOptions(context.query, "CreateOptions"));
  ANNEX_CO_TRY(const IncludeObject include, ReadIncludeObject(context.query, format.form));
  ANNEX_CO_TRY(json::Value prepared, PrepareObject(context, options));
  ANNEX_CO_RETURN_IF_ERROR(co_await TrackCreate(context, prepared, WriterOf(context, options.field_manager)));
  FillSystemFields(context, prepared);
  const std::string prefix = json::TextAt(prepared, {"metadata", "generateName"});
  const bool generated = json::TextAt(prepared, {"metadata", "name"}).empty() && !prefix.empty();
  const Presenter presenter(context.strategy, format, include, context.parts.clock);

  for (int attempt = 1;; ++attempt) {
    // Only a generated name is tried again.
    json::Value object;
    if (generated) {
      object = prepared;
      object["metadata"]["name"] = GenerateName(context.parts.random, prefix);
    } else {
      object.swap(prepared);
    }
    ANNEX_CO_RETURN_IF_ERROR(ValidateNew(context, object, options.dry_run));
    const std::string name = json::TextAt(object, {"metadata", "name"});
    store::Mutation mutation;
    mutation.collection = context.strategy->collection();
    mutation.key = KeyOf(*context.strategy, context.info.namespace_name, name);

    base::Result<store::Committed> committed;
    if (options.dry_run) {
      ANNEX_CO_TRY(const auto existing, context.parts.store.Load(mutation.collection, mutation.key));
      ANNEX_CO_TRY(object,
                   co_await StoreAndReadBack(*context.strategy, std::move(object), context.executor()));
      if (!existing) {
        ANNEX_CO_TRY(std::string body, presenter.Document(object));
        co_return BodyResponse(201, format.ContentType(), std::move(body));
      }
      committed = base::Error(base::Reason::kConflict, "");
    } else {
      ANNEX_CO_TRY(mutation.next, co_await MakeBounded(*context.strategy, std::move(object),
                                                       Owners::kDroppedIfTooLarge, context.executor()));
      committed = co_await Commit(context, std::move(mutation));
    }
    if (committed) co_return co_await ObjectResponse(context, presenter, 201, committed->object);
    if (committed.error().reason == base::Reason::kNotFound)
      co_return base::Error(NotFound(context.resource(), name));
    if (committed.error().reason != base::Reason::kConflict) co_return base::Error(committed.error());
    if (!generated) co_return base::Error(NameTaken(context, name));
    if (attempt == kNameAttempts) co_return base::Error(GenerateNameConflict(context.resource(), name));
  }
}

}  // namespace annex::api
