#include "openapi_paths.h"

#include "annex/base/strings.h"
#include "openapi_data.h"
#include "openapi_schema.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

bool IsLetter(char character) {
  const char lower = static_cast<char>(character | 0x20);
  return (lower >= 'a' && lower <= 'z') || character == '_';
}

char Upper(char character) {
  return character >= 'a' && character <= 'z' ? static_cast<char>(character - 'a' + 'A') : character;
}

// Camel case without the characters that no identifier has: "ex.example.com" is "exExampleCom".
std::string Camel(std::string_view text, bool capital) {
  std::string camel;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (IsLetter(text[i]) || (i != 0 && digit)) {
      camel += capital ? Upper(text[i]) : text[i];
      capital = false;
    } else {
      capital = true;
    }
  }
  return camel;
}

// What an operation answers with.
enum class Sample : std::uint8_t { kObject, kList, kStatus };

struct OperationKind {
  const char* method;  // as paths name it
  const char* action;  // of x-kubernetes-action; decides the parameters
  const char* verb;    // of descriptions and operation ids
  Sample sample;
};

constexpr OperationKind kList = {"get", "list", "list", Sample::kList};
constexpr OperationKind kGet = {"get", "get", "read", Sample::kObject};
constexpr OperationKind kPut = {"put", "put", "replace", Sample::kObject};
constexpr OperationKind kPatch = {"patch", "patch", "patch", Sample::kObject};
constexpr std::array kCollectionOperations = {
    kList,
    OperationKind{"post", "post", "create", Sample::kObject},
    OperationKind{"delete", "deletecollection", "deletecollection", Sample::kStatus},
};
constexpr std::array kItemOperations = {kGet, kPut,
                                        OperationKind{"delete", "delete", "delete", Sample::kStatus}, kPatch};
constexpr std::array kSubresourceOperations = {kGet, kPut, kPatch};

// A path: of the collection, an item, or an item's subresource.
struct Place {
  std::string subresource;  // "status", "scale" or none
  bool named = false;
  bool namespaced = false;
};

// " a ", " an ", or " " before a plural.
std::string Article(const std::string& kind) {
  if (kind.ends_with('s') && !kind.ends_with("ss")) return " ";
  const bool vowel = std::string_view("aeiouAEIOU").find(kind.front()) != std::string_view::npos;
  return vowel ? " an " : " a ";
}

std::string Description(std::string_view verb, const std::string& subresource, const std::string& kind) {
  const std::string of = subresource.empty() ? "" : " " + subresource + " of";
  if (verb == "list") return "list" + of + " objects of kind " + kind;
  if (verb == "patch") return "partially update" + of + " the specified " + kind;
  if (verb == "deletecollection") return "delete collection of " + kind;
  if (verb == "read" || verb == "replace") return std::string(verb) + of + " the specified " + kind;
  return std::string(verb) + of + Article(kind) + kind;
}

// Writes the operations of one resource in one version.
class PathWriter {
 public:
  PathWriter(const definition::Resource& resource, const definition::Version& version)
      : names_(resource.names()), group_(resource.group()), version_(version.name) {
    std::string_view short_group = group_;
    if (short_group.ends_with(".k8s.io")) short_group.remove_suffix(std::string_view(".k8s.io").size());
    tag_ = Camel(short_group, false) + "_" + Camel(version_, false);
    id_prefix_ = Camel(short_group, true) + Camel(version_, true);
  }

  // The operations and what they all have in common.
  Value PathItem(const Place& place, std::span<const OperationKind> operations) const {
    Value item = Value::object();
    for (const OperationKind& kind : operations) {
      std::string id = place.namespaced ? "Namespaced" + names_.kind : names_.kind;
      if (!place.subresource.empty()) id += Upper(place.subresource.front()) + place.subresource.substr(1);
      item[kind.method] = Operation(place, kind, id);
    }
    const OpenApiData& data = OpenApiData::Get();
    Value parameters = Value::array();
    if (place.named) {
      parameters.push_back({{"name", "name"},
                            {"in", "path"},
                            {"required", true},
                            {"description", "name of the " + names_.kind},
                            {"type", "string"},
                            {"uniqueItems", true}});
    }
    if (place.namespaced) parameters.push_back(data.PathParameter("namespace"));
    parameters.push_back(data.PathParameter("pretty"));
    item["parameters"] = std::move(parameters);
    return item;
  }

  // The list over all namespaces. Being the only operation of its path, all its parameters are the path's.
  Value AllNamespaces() const {
    Value list = Operation({}, kList, names_.kind + "ForAllNamespaces");
    Value::array_t parameters = std::move(list["parameters"].get_ref<Value::array_t&>());
    list.erase("parameters");
    // Sorted by name: a reference begins with it.
    const Value& pretty = OpenApiData::Get().PathParameter("pretty");
    const auto later = std::find_if(parameters.begin(), parameters.end(), [&pretty](const Value& parameter) {
      return json::TextAt(parameter, {"$ref"}) > json::TextAt(pretty, {"$ref"});
    });
    parameters.insert(later, pretty);
    return {{"get", std::move(list)}, {"parameters", std::move(parameters)}};
  }

 private:
  std::string TypeOf(const Place& place, Sample sample) const {
    if (sample == Sample::kStatus) return std::string(kMetaTypes) + "Status";
    if (place.subresource == "scale") return std::string(kScaleTypes);
    return OpenApiTypeName(group_, version_, sample == Sample::kList ? names_.list_kind : names_.kind);
  }

  Value Operation(const Place& place, const OperationKind& kind, const std::string& id) const {
    const std::string_view verb = kind.verb;
    const std::string_view action = kind.action;
    const Value schema = OpenApiReference(TypeOf(place, kind.sample), OpenApiVersion::kV2);
    Value parameters = OpenApiData::Get().ActionParameters(action);
    if (action == "post" || action == "put") {
      parameters.insert(parameters.begin(),
                        Value{{"name", "body"}, {"in", "body"}, {"required", true}, {"schema", schema}});
    }
    Value consumes = {"application/json", "application/yaml"};
    if (action == "patch") {
      consumes = {"application/json-patch+json", "application/merge-patch+json",
                  "application/apply-patch+yaml"};
    }
    // Upstream finds the verb in the id by its shortest prefix: deletecollection is a delete of a
    // "collection…".
    const bool collection = verb == "deletecollection";
    return {{"description", Description(verb, place.subresource, names_.kind)},
            {"consumes", std::move(consumes)},
            {"produces", {"application/json", "application/yaml"}},
            {"schemes", Value::array({"https"})},
            {"tags", Value::array({tag_})},
            {"operationId", std::string(collection ? "delete" : verb) + id_prefix_ +
                                Camel((collection ? "collection" : "") + id, true)},
            {"parameters", std::move(parameters)},
            {"responses", Responses(action, schema)},
            {"x-kubernetes-action", action},
            {"x-kubernetes-group-version-kind",
             {{"group", group_}, {"version", version_}, {"kind", names_.kind}}}};
  }

  static Value Responses(std::string_view action, const Value& schema) {
    Value responses = {{"401", {{"description", "Unauthorized"}}}};
    const auto add = [&](const char* code, const char* description) {
      responses[code] = {{"description", description}, {"schema", schema}};
    };
    add("200", "OK");
    if (action == "post" || action == "put") add("201", "Created");
    if (action == "post" || action == "delete") add("202", "Accepted");
    return responses;
  }

  const definition::Names& names_;
  const std::string& group_;
  const std::string& version_;
  std::string tag_;
  std::string id_prefix_;
};

}  // namespace

Value PathsOf(const definition::Snapshot::Served& served) {
  const definition::Resource& resource = *served.resource;
  const PathWriter writer(resource, *served.version);
  const bool namespaced = resource.namespaced();
  const std::string root = "/apis/" + resource.ApiVersion(*served.version) + "/";
  const std::string collection =
      root + (namespaced ? "namespaces/{namespace}/" : "") + resource.names().plural;
  const std::string item = collection + "/{name}";
  Value paths = Value::object();
  if (namespaced) paths[root + resource.names().plural] = writer.AllNamespaces();
  paths[collection] = writer.PathItem({"", false, namespaced}, kCollectionOperations);
  paths[item] = writer.PathItem({"", true, namespaced}, kItemOperations);
  if (served.version->has_status) {
    paths[item + "/status"] = writer.PathItem({"status", true, namespaced}, kSubresourceOperations);
  }
  if (served.version->scale) {
    paths[item + "/scale"] = writer.PathItem({"scale", true, namespaced}, kSubresourceOperations);
  }
  return paths;
}

}  // namespace annex::api
