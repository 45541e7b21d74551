// Resource: one CustomResourceDefinition, compiled: everything that a request needs to know about it.
//
// Thread rule: immutable after Compile and thread-safe. Ownership: shared_ptr<const Resource>; a request
// keeps the one that it began with, whatever happens to the definition meanwhile.
#pragma once

#include "annex/base/result.h"
#include "annex/definition/webhook.h"
#include "annex/json/jsonpath.h"
#include "annex/json/value.h"
#include "annex/ownership/object_type.h"
#include "annex/schema/schema.h"
#include "annex/selector/terms.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::definition {

enum class Scope : std::uint8_t { kNamespaced, kCluster };

struct Names {
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> categories;
  bool operator==(const Names&) const = default;
};

// additionalPrinterColumns[i]; without any, a version has the Age column alone.
struct Column {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  std::int64_t priority = 0;
  std::string path_text;  // ".spec.replicas"
  std::optional<json::JsonPath>
      path;  // nullopt: it cannot be parsed; kube-apiserver then shows no extra column at all
};

// A path of property names: ".spec.replicas" is {"spec", "replicas"}.
using KeyPath = std::vector<std::string>;

struct ScaleSubresource {
  std::string spec_replicas_text;  // ".spec.replicas", as messages show it
  KeyPath spec_replicas;
  std::string status_replicas_text;
  KeyPath status_replicas;
  std::string label_selector_text;
  std::optional<KeyPath> label_selector;
};

struct SelectableField {
  std::string name;  // as selectors write it: "spec.color"
  KeyPath path;
  // The store's term for its values; "" if objects have none, because only the webhook knows this version.
  std::string term;
};

struct Version {
  std::string name;
  bool served = false;
  bool storage = false;
  bool deprecated = false;
  std::optional<std::string> deprecation_warning;
  bool has_status = false;
  std::optional<ScaleSubresource> scale;
  std::vector<Column> columns;
  std::vector<SelectableField> selectable_fields;
  std::shared_ptr<const schema::Schema> schema;
  std::shared_ptr<const ownership::ObjectType> object_type;
  json::Value open_api_v3_schema;  // as the definition has it, for publishing
  // Whether an object of the storage version reads the same in this version, its apiVersion apart.
  bool same_schema_as_storage = false;
};

// A path of a definition (".spec.replicas") as its keys: all that stands between dots, as upstream takes
// them. nullopt if it does not begin with a dot.
std::optional<KeyPath> ParseKeyPath(std::string_view text);

class Resource {
 public:
  struct Options {
    // The names under which it is served (status.acceptedNames); files mode: spec.names.
    Names names;
    // Creating objects is forbidden: the definition is being deleted.
    bool terminating = false;
    // Its objects are about to be served elsewhere, where revisions are others: nobody is to learn one here
    // any more. Whoever watches has to list, and whoever lists has to wait.
    bool leaving = false;
    // The store's collection of its objects.
    std::int64_t collection = 0;
    // It was established: discovery and OpenAPI tell of it.
    bool established = true;
    // A hash of all that clients of its objects can see of the definition: one that is being deleted still
    // has the same.
    std::uint64_t serving = 0;
  };
  // Compiles a definition that ValidateDefinition found right.
  // Errors: Invalid, if it is not servable after all; the message names the field.
  static base::Result<std::shared_ptr<const Resource>> Compile(const json::Value& definition,
                                                               Options options);

  const std::string& group() const { return group_; }
  const std::string& name() const { return name_; }  // of the definition: "widgets.example.com"
  const std::string& uid() const { return uid_; }
  const Names& names() const { return options_.names; }
  Scope scope() const { return scope_; }
  bool namespaced() const { return scope_ == Scope::kNamespaced; }
  bool terminating() const { return options_.terminating; }
  bool leaving() const { return options_.leaving; }
  bool established() const { return options_.established; }
  std::int64_t collection() const { return options_.collection; }
  std::uint64_t serving() const { return options_.serving; }
  const std::vector<Version>& versions() const { return versions_; }
  const Version& storage_version() const { return versions_[storage_]; }
  // nullptr if there is no such version.
  const Version* FindVersion(std::string_view name) const;

  // "GROUP/VERSION"
  std::string ApiVersion(const Version& version) const { return group_ + "/" + version.name; }

  // Fingerprint of how objects are stored: storage version, its schema, and all selectable fields. Objects
  // that were written with the same one can be served as they are, and their terms are right.
  std::uint64_t format() const { return format_; }

  // Who converts objects between versions; nullptr: nobody has to (strategy None).
  const std::shared_ptr<const Webhook>& webhook() const { return webhook_; }
  // Whether there may be objects that are stored in another version than the storage version: a definition
  // says so in status.storedVersions.
  bool stores_other_versions() const { return stores_other_versions_; }
  // Different for every compiled resource of a process.
  std::uint64_t serial() const { return serial_; }

  // What `object` can be selected by. Fields of a version whose schema differs from the object's are read
  // from the object as that version shows it. REQUIRES: it is in the storage version, if there is a webhook.
  selector::TermSet TermsOf(const json::Value& object) const;

  // Reads an object as it was stored, maybe under an earlier form of the definition: its own version's schema
  // prunes and defaults. Errors: without a reason, with kube-apiserver's words (a version that the definition
  // has no more).
  base::Result<void> ReadStored(json::Value& object) const;
  // The version that an object is in; nullptr if the definition has none of this name.
  const Version* VersionOf(const json::Value& object) const;
  // Strategy None: names the object `version`, whose schema then prunes it.
  base::Result<void> ToVersion(json::Value& object, const Version& version) const;
  // What follows a conversion by webhook: `version`'s schema prunes. Errors: BadRequest (its metadata cannot
  // be read).
  base::Result<void> Prune(json::Value& object, const Version& version) const;
  // Sets what of the storage version's defaults an object of it lacks. Errors: as Schema::Default.
  base::Result<void> DefaultForStorage(json::Value& object) const;

 private:
  Resource() = default;
  base::Result<void> CompileVersions(const json::Value& definition);
  void NameTerms();
  void AddFieldTerms(const json::Value& object, const Version& version,
                     std::map<std::string, std::string>& terms) const;

  std::string group_;
  std::string name_;
  std::string uid_;
  Scope scope_ = Scope::kNamespaced;
  Options options_;
  std::vector<Version> versions_;
  std::size_t storage_ = 0;
  std::uint64_t format_ = 0;
  std::uint64_t serial_ = 0;
  std::shared_ptr<const Webhook> webhook_;
  bool stores_other_versions_ = false;
};

// The names in a names object of a definition (spec.names or status.acceptedNames).
Names ReadNames(const json::Value& names);

}  // namespace annex::definition
