#include "annex/definition/resource.h"

#include "annex/base/strings.h"
#include "annex/json/write.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace annex::definition {
namespace {

// FNV-1a, 64 bit. A fingerprint, not a defence: whoever may change a definition may do anything with its
// objects.
class Fingerprint {
 public:
  void Add(std::string_view text) {
    for (const char character : text) AddByte(static_cast<unsigned char>(character));
    AddByte(0xFF);  // no UTF-8 text contains it: texts cannot run into each other
  }
  // 0 is "no fingerprint" to the store. SQLite's integers are signed, so the top bit stays free.
  std::uint64_t Value() const { return (value_ & 0x7FFFFFFFFFFFFFFFULL) | 1ULL; }

 private:
  void AddByte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001B3ULL;
  }
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

// What changes the bytes that objects are stored or shown with when the definition's code changes its mind.
// Raised by hand.
constexpr std::string_view kFormatRules = "1";

std::vector<std::string> TextList(const json::Value::array_t& items) {
  std::vector<std::string> texts;
  for (const json::Value& item : items) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::vector<Column> ReadColumns(const json::Value& version) {
  std::vector<Column> columns;
  for (const json::Value& item : json::ItemsAt(version, {"additionalPrinterColumns"})) {
    Column column;
    column.name = json::TextAt(item, {"name"});
    column.type = json::TextAt(item, {"type"});
    column.format = json::TextAt(item, {"format"});
    column.description = json::TextAt(item, {"description"});
    column.priority = json::IntegerAt(item, {"priority"});
    column.path_text = json::TextAt(item, {"jsonPath"});
    if (auto path = json::JsonPath::Compile(column.path_text)) column.path = *std::move(path);
    columns.push_back(std::move(column));
  }
  return columns;
}

base::Result<KeyPath> RequirePath(const std::string& text, const std::string& what) {
  auto path = ParseKeyPath(text);
  if (path) return *std::move(path);
  return base::Error(base::Reason::kInvalid, what + " is not a path of property names: " + base::Quote(text));
}

base::Result<std::optional<ScaleSubresource>> ReadScale(const json::Value& version) {
  const json::Value* scale = json::FindPath(version, {"subresources", "scale"});
  if (scale == nullptr || !scale->is_object()) return std::optional<ScaleSubresource>();
  ScaleSubresource result;
  result.spec_replicas_text = json::TextAt(*scale, {"specReplicasPath"});
  result.status_replicas_text = json::TextAt(*scale, {"statusReplicasPath"});
  result.label_selector_text = json::TextAt(*scale, {"labelSelectorPath"});
  ANNEX_TRY(result.spec_replicas, RequirePath(result.spec_replicas_text, "specReplicasPath"));
  ANNEX_TRY(result.status_replicas, RequirePath(result.status_replicas_text, "statusReplicasPath"));
  if (!result.label_selector_text.empty()) {
    ANNEX_TRY(result.label_selector, RequirePath(result.label_selector_text, "labelSelectorPath"));
  }
  return std::optional<ScaleSubresource>(std::move(result));
}

base::Result<std::vector<SelectableField>> ReadSelectableFields(const json::Value& version) {
  std::vector<SelectableField> fields;
  for (const json::Value& item : json::ItemsAt(version, {"selectableFields"})) {
    SelectableField field;
    const std::string& text = json::TextAt(item, {"jsonPath"});
    ANNEX_TRY(field.path, RequirePath(text, "selectableFields[].jsonPath"));
    field.name = text.substr(1);
    fields.push_back(std::move(field));
  }
  return fields;
}

base::Result<Version> ReadVersion(const json::Value& item) {
  Version version;
  version.name = json::TextAt(item, {"name"});
  version.served = json::FlagAt(item, {"served"});
  version.storage = json::FlagAt(item, {"storage"});
  version.deprecated = json::FlagAt(item, {"deprecated"});
  if (const json::Value* warning = json::Find(item, "deprecationWarning");
      warning != nullptr && warning->is_string()) {
    version.deprecation_warning = warning->get<std::string>();
  }
  const json::Value* status = json::FindPath(item, {"subresources", "status"});
  version.has_status = status != nullptr && status->is_object();
  version.columns = ReadColumns(item);
  ANNEX_TRY(version.scale, ReadScale(item));
  ANNEX_TRY(version.selectable_fields, ReadSelectableFields(item));
  const json::Value* open_api = json::FindPath(item, {"schema", "openAPIV3Schema"});
  if (open_api == nullptr || !open_api->is_object()) {
    return base::Error(base::Reason::kInvalid, "version " + version.name + " has no schema.openAPIV3Schema");
  }
  version.open_api_v3_schema = *open_api;
  auto schema = schema::Schema::Compile(*open_api);
  if (!schema) {
    return base::Error(schema.error().reason,
                       "version " + version.name + ": schema.openAPIV3Schema: " + schema.error().message);
  }
  version.schema = *std::move(schema);
  version.object_type = std::make_shared<const ownership::ObjectType>(version.schema->root());
  return version;
}

std::uint64_t NextSerial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// Whether status.storedVersions names another version than the storage version.
bool StoresOtherVersions(const json::Value& definition, const std::string& storage_version) {
  const auto& stored = json::ItemsAt(definition, {"status", "storedVersions"});
  return std::any_of(stored.begin(), stored.end(),
                     [&](const json::Value& version) { return version != storage_version; });
}

const json::Value* FindPath(const json::Value& object, const KeyPath& path) {
  const json::Value* current = &object;
  for (const std::string& key : path) {
    current = json::Find(*current, key);
    if (current == nullptr) return nullptr;
  }
  return current;
}

// The value of a selectable field as text: what is missing or null is "".
std::string SelectableText(const json::Value* value) {
  if (value == nullptr || value->is_null() || value->is_structured()) return "";
  return value->is_string() ? value->get<std::string>() : json::ToJson(*value);
}

}  // namespace

std::optional<KeyPath> ParseKeyPath(std::string_view text) {
  if (!text.starts_with('.')) return std::nullopt;
  KeyPath path;
  for (const std::string_view key : base::Split(text.substr(1), '.')) path.emplace_back(key);
  return path;
}

Names ReadNames(const json::Value& names) {
  Names result;
  result.plural = json::TextAt(names, {"plural"});
  result.singular = json::TextAt(names, {"singular"});
  result.short_names = TextList(json::ItemsAt(names, {"shortNames"}));
  result.kind = json::TextAt(names, {"kind"});
  result.list_kind = json::TextAt(names, {"listKind"});
  result.categories = TextList(json::ItemsAt(names, {"categories"}));
  return result;
}

base::Result<std::shared_ptr<const Resource>> Resource::Compile(const json::Value& definition,
                                                                Options options) {
  std::shared_ptr<Resource> resource(new Resource());
  resource->name_ = json::TextAt(definition, {"metadata", "name"});
  resource->uid_ = json::TextAt(definition, {"metadata", "uid"});
  resource->group_ = json::TextAt(definition, {"spec", "group"});
  resource->scope_ =
      json::TextAt(definition, {"spec", "scope"}) == "Cluster" ? Scope::kCluster : Scope::kNamespaced;
  resource->options_ = std::move(options);
  resource->serial_ = NextSerial();
  if (auto webhook = ReadWebhook(definition)) {
    resource->webhook_ = std::make_shared<const Webhook>(*std::move(webhook));
  }
  ANNEX_RETURN_IF_ERROR(resource->CompileVersions(definition));
  resource->stores_other_versions_ = StoresOtherVersions(definition, resource->storage_version().name);
  resource->NameTerms();
  return std::shared_ptr<const Resource>(std::move(resource));
}

base::Result<void> Resource::CompileVersions(const json::Value& definition) {
  for (const json::Value& item : json::ItemsAt(definition, {"spec", "versions"})) {
    ANNEX_TRY(Version version, ReadVersion(item));
    if (version.storage) storage_ = versions_.size();
    versions_.push_back(std::move(version));
  }
  if (versions_.empty() || !storage_version().storage) {
    return base::Error(base::Reason::kInvalid, "spec.versions needs exactly one version with storage: true");
  }
  for (Version& version : versions_) {
    version.same_schema_as_storage = version.open_api_v3_schema == storage_version().open_api_v3_schema;
  }
  return {};
}

// A field of a version that shows objects as they are stored has one term with all such versions; others have
// their own. What a webhook makes of an object nobody else knows.
void Resource::NameTerms() {
  Fingerprint fingerprint;
  fingerprint.Add(kFormatRules);
  fingerprint.Add(storage_version().name);
  fingerprint.Add(json::ToJson(storage_version().open_api_v3_schema));
  for (Version& version : versions_) {
    if (version.selectable_fields.empty()) continue;
    for (SelectableField& field : version.selectable_fields) {
      if (webhook_ == nullptr || version.storage) {
        field.term = selector::FieldTerm(version.same_schema_as_storage ? "." + field.name
                                                                        : version.name + ":." + field.name);
      }
      fingerprint.Add(field.term);
    }
    if (!version.same_schema_as_storage) fingerprint.Add(json::ToJson(version.open_api_v3_schema));
  }
  format_ = fingerprint.Value();
}

const Version* Resource::FindVersion(std::string_view name) const {
  const auto found = std::find_if(versions_.begin(), versions_.end(),
                                  [name](const Version& version) { return version.name == name; });
  return found == versions_.end() ? nullptr : &*found;
}

selector::TermSet Resource::TermsOf(const json::Value& object) const {
  std::map<std::string, std::string> terms;
  if (const json::Value* labels = json::FindPath(object, {"metadata", "labels"});
      labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : labels->get_ref<const json::Value::object_t&>()) {
      if (value.is_string()) terms.emplace(selector::LabelTerm(key), value.get<std::string>());
    }
  }
  const Version* own = VersionOf(object);
  for (const Version& version : versions_) {
    if (version.selectable_fields.empty() || version.selectable_fields.front().term.empty()) continue;
    if (&version == own ||
        (version.same_schema_as_storage && own != nullptr && own->same_schema_as_storage)) {
      AddFieldTerms(object, version, terms);
      continue;
    }
    json::Value shown = object;
    if (ToVersion(shown, version)) AddFieldTerms(shown, version, terms);
  }
  return selector::TermSet(terms);
}

void Resource::AddFieldTerms(const json::Value& object, const Version& version,
                             std::map<std::string, std::string>& terms) const {
  for (const SelectableField& field : version.selectable_fields) {
    terms.emplace(field.term, SelectableText(FindPath(object, field.path)));
  }
}

const Version* Resource::VersionOf(const json::Value& object) const {
  const std::string_view api_version = json::TextAt(object, {"apiVersion"});
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos || api_version.substr(0, slash) != group_) return nullptr;
  return FindVersion(api_version.substr(slash + 1));
}

base::Result<void> Resource::ReadStored(json::Value& object) const {
  const Version* version = VersionOf(object);
  if (version == nullptr) {
    return base::Error(base::Reason::kUnknown, "request to convert CR from an invalid group/version: " +
                                                   json::TextAt(object, {"apiVersion"}));
  }
  ANNEX_RETURN_IF_ERROR(version->schema->Coerce(object, schema::MalformedFields::kDrop, nullptr));
  return version->schema->Default(object);
}

base::Result<void> Resource::ToVersion(json::Value& object, const Version& version) const {
  const Version* own = VersionOf(object);
  if (own == &version) return {};
  object["apiVersion"] = ApiVersion(version);
  if (version.same_schema_as_storage && own != nullptr && own->same_schema_as_storage) return {};
  return version.schema->Coerce(object, schema::MalformedFields::kDrop, nullptr);
}

base::Result<void> Resource::Prune(json::Value& object, const Version& version) const {
  return version.schema->Coerce(object, schema::MalformedFields::kRefuse, nullptr);
}

base::Result<void> Resource::DefaultForStorage(json::Value& object) const {
  return storage_version().schema->Default(object);
}

}  // namespace annex::definition
