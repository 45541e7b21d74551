#include "openapi.h"

#include "annex/auth/digest.h"
#include "annex/base/strings.h"
#include "annex/json/write.h"
#include "openapi_data.h"

#include <algorithm>
#include <utility>

namespace annex::api {
namespace {

using json::Value;
using GroupVersion = definition::Snapshot::GroupVersion;
using Resources = std::vector<std::weak_ptr<const definition::Resource>>;

std::string UpperHash(std::string_view text) {
  return base::AsciiUpper(base::HexEncode(auth::Sha512(text)));
}

// What all documents depend on.
std::string CommonInput() {
  return ANNEX_VERSION "\n" + base::HexEncode(OpenApiData::Get().digest()) + "\n";
}

// All that a document says of one resource. What does not go in here must not show in a document.
void AppendInput(std::string& input, const definition::Resource& resource,
                 const definition::Version& version) {
  const definition::Names& names = resource.names();
  Value fields = Value::array();
  for (const auto& field : version.selectable_fields) fields.push_back(field.name);
  const Value summary = {
      resource.group(), version.name,          names.plural,       names.kind,
      names.list_kind,  resource.namespaced(), version.has_status, version.scale.has_value(),
      std::move(fields)};
  json::AppendJson(input, summary);
  json::AppendJson(input, version.open_api_v3_schema);
  input += '\n';
}

bool SameObjects(const Resources& known, const GroupVersion& version) {
  // A weak pointer keeps its object's address from being used again.
  return std::equal(known.begin(), known.end(), version.resources.begin(), version.resources.end(),
                    [](const auto& weak, const auto& named) {
                      const auto& resource = named.second.resource;
                      return !weak.owner_before(resource) && !resource.owner_before(weak);
                    });
}

std::string BuiltinHash(std::string_view document) {
  return UpperHash(CommonInput() + std::string(document));
}

bool IsBuiltin(std::string_view path) {
  return OpenApiData::Get().BuiltinPaths(path) != nullptr;
}

}  // namespace

std::string OpenApi::HashOf(const std::string& group, const GroupVersion& version) {
  const std::string key = group + "/" + version.name;
  {
    const base::MutexLock lock(mutex_);
    const auto known = hashes_.find(key);
    if (known != hashes_.end() && SameObjects(known->second.resources, version)) return known->second.hash;
  }
  // Made without the lock: it takes time, and two threads that do it agree.
  std::string input = CommonInput();
  Hashed hashed;
  for (const auto& [plural, served] : version.resources) {
    AppendInput(input, *served.resource, *served.version);
    hashed.resources.emplace_back(served.resource);
  }
  hashed.hash = UpperHash(input);
  const base::MutexLock lock(mutex_);
  return (hashes_[key] = std::move(hashed)).hash;
}

void OpenApi::ForgetOthers(const definition::Snapshot& snapshot) {
  const base::MutexLock lock(mutex_);
  std::erase_if(hashes_, [&snapshot](const auto& item) {
    const std::string& key = item.first;
    const auto slash = key.find('/');
    return snapshot.FindGroupVersion(key.substr(0, slash), key.substr(slash + 1)) == nullptr;
  });
}

std::shared_ptr<const OpenApiIndex> OpenApi::V3Index(const definition::Snapshot& snapshot) {
  {
    const base::MutexLock lock(mutex_);
    if (index_ && index_generation_ == snapshot.generation()) return index_;
  }
  Value paths = Value::object();
  const auto add = [&paths](const std::string& path, const std::string& hash) {
    paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash}};
  };
  if (builtins_) {
    for (const std::string& document : OpenApiData::Get().BuiltinDocuments())
      add(document, BuiltinHash(document));
  }
  for (const auto& [name, group] : snapshot.groups()) {
    for (const auto& version : group.versions)
      add("apis/" + name + "/" + version.name, HashOf(name, version));
  }
  ForgetOthers(snapshot);
  auto index = std::make_shared<OpenApiIndex>();
  index->json = json::ToJson({{"paths", std::move(paths)}});
  const base::MutexLock lock(mutex_);
  // Of two snapshots at the same time either may be kept: the next request finds out.
  index_generation_ = snapshot.generation();
  return index_ = std::move(index);
}

std::optional<OpenApiDocument> OpenApi::V3(const definition::Snapshot& snapshot, std::string_view path) {
  OpenApiDocument document;
  if (builtins_ && IsBuiltin(path)) {
    document.builtins.emplace_back(path);
    document.etag = BuiltinHash(path);
    return document;
  }
  const auto segments = base::Split(path, '/');
  if (segments.size() != 3 || segments[0] != "apis") return std::nullopt;
  const GroupVersion* version = snapshot.FindGroupVersion(segments[1], segments[2]);
  if (version == nullptr) return std::nullopt;
  for (const auto& [plural, served] : version->resources) document.resources.push_back(served);
  document.etag = HashOf(std::string(segments[1]), *version);
  return document;
}

OpenApiDocument OpenApi::V2(const definition::Snapshot& snapshot) {
  OpenApiDocument document;
  document.form = OpenApiVersion::kV2;
  std::string input = CommonInput() + "v2\n";
  if (builtins_) document.builtins = OpenApiData::Get().BuiltinDocuments();
  for (const std::string& builtin : document.builtins) input += builtin + "\n";
  for (const auto& [name, group] : snapshot.groups()) {
    for (const auto& version : group.versions) {
      input += HashOf(name, version);
      for (const auto& [plural, served] : version.resources) document.resources.push_back(served);
    }
  }
  document.etag = UpperHash(input);
  return document;
}

}  // namespace annex::api
