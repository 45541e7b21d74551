// OpenApi: the published schemas of everything that is served, as OpenAPI v3 (one document per group/version)
// and v2 (one document), each as JSON and in the protobuf form of gnostic's Document, which kubectl asks for
// (k8s.io/apiextensions-apiserver/pkg/controller/openapi and openapiv3, k8s.io/kube-openapi/pkg/handler and
// handler3).
//
// Documents are made when somebody asks, from memory alone, and are not kept: clients keep them, by their
// hash. (A document of v3 is 70 kB and more, made in less than a millisecond; 1,000 definitions would hold
// 150 MB of them, and as much again for v2.) A large one is made while it is sent, see OpenApiWriter.
//
// What is kept is the hash of each group/version, the document's ETag. It is made of what the document is
// made of: the definitions' names, scope, subresources and schemas, the data that all documents share and
// this program's version. So the index of v3, which names all hashes, makes no document; a definition that
// changes changes the hashes of its own group/versions alone; and servers of one version that serve equal
// definitions give equal hashes.
//
// Thread rule: thread-safe.
#pragma once

#include "annex/base/mutex.h"
#include "annex/definition/registry.h"
#include "openapi_schema.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

// What a document is made of.
struct OpenApiDocument {
  OpenApiVersion form = OpenApiVersion::kV3;
  std::vector<std::string> builtins;  // documents of built-in types that are part of it: "api/v1"
  std::vector<definition::Snapshot::Served> resources;
  std::string etag;  // upper-case hexadecimal SHA-512, without quotes; the same for both encodings
};

// The list of v3 documents: {"paths":{"apis/G/V":{"serverRelativeURL":"/openapi/v3/apis/G/V?hash=…"}}}
struct OpenApiIndex {
  std::string json;
};

class OpenApi {
 public:
  // `builtins`: whether the built-in types of standalone mode are published.
  explicit OpenApi(bool builtins) : builtins_(builtins) {}

  bool builtins() const { return builtins_; }

  // GET /openapi/v3
  std::shared_ptr<const OpenApiIndex> V3Index(const definition::Snapshot& snapshot);
  // GET /openapi/v3/apis/G/V or /openapi/v3/api/v1; `path` is "apis/G/V". nullopt if nothing of it is served.
  std::optional<OpenApiDocument> V3(const definition::Snapshot& snapshot, std::string_view path);
  // GET /openapi/v2
  OpenApiDocument V2(const definition::Snapshot& snapshot);

 private:
  // The hash of a group/version, and the definitions that it was made of. Two definitions are the same if
  // they are one object: a new snapshot keeps those that did not change.
  struct Hashed {
    std::vector<std::weak_ptr<const definition::Resource>> resources;
    std::string hash;
  };
  std::string HashOf(const std::string& group, const definition::Snapshot::GroupVersion& version);
  void ForgetOthers(const definition::Snapshot& snapshot);

  const bool builtins_;
  base::Mutex mutex_;
  std::map<std::string, Hashed> hashes_ ANNEX_GUARDED_BY(mutex_);  // by "GROUP/VERSION"
  std::uint64_t index_generation_ ANNEX_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const OpenApiIndex> index_ ANNEX_GUARDED_BY(mutex_);
};

}  // namespace annex::api
