// What clients read when something fails: the only place where messages for them are worded
// (k8s.io/apimachinery/pkg/api/errors, k8s.io/apiserver/pkg/storage/errors,
// pkg/endpoints/handlers/responsewriters).
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/field_error.h"

#include <string>
#include <string_view>

namespace annex::api {

// A resource in messages: "widgets.example.com".
struct GroupResource {
  std::string group;
  std::string resource;
  std::string Text() const { return group.empty() ? resource : resource + "." + group; }
};

base::Status BadRequest(std::string message);
base::Status NotFound(const GroupResource& resource, const std::string& name);
base::Status AlreadyExists(const GroupResource& resource, const std::string& name);
// `why` such as "the object has been modified; please apply your changes to the latest version and try
// again".
base::Status Conflict(const GroupResource& resource, const std::string& name, const std::string& why);
base::Status ObjectModified(const GroupResource& resource, const std::string& name);
// The UID that a client demands is not the object's: kube-apiserver shows its storage's error.
base::Status UidPrecondition(const GroupResource& resource, const std::string& key, const std::string& name,
                             const std::string& wanted, const std::string& found);
base::Status Forbidden(const GroupResource& resource, const std::string& name, const std::string& why);
base::Status Invalid(const std::string& group, const std::string& kind, const std::string& name,
                     const json::FieldErrors& errors);
base::Status MethodNotSupported(const GroupResource& resource, const std::string& verb);
// What go-restful's router says of a path, a method, a Content-Type and an Accept header that it has nothing
// for.
base::Status NoSuchResource();
base::Status MethodNotAllowed();
base::Status NoSuchContent();
base::Status NoSuchRepresentation(const std::string& available);
base::Status InternalError(const std::string& why);
// HTTP 500 without a reason: what kube-apiserver sends for an error that none of its layers turned into a
// Status.
base::Status Unspecified(std::string message);
base::Status ResourceVersionTooLarge(std::string_view wanted, std::int64_t current);
base::Status GenerateNameConflict(const GroupResource& resource, const std::string& name);
base::Status RequestEntityTooLarge(std::size_t limit);
base::Status ExpiredList(std::string message);
// 429, in a second: clients of Kubernetes do so by themselves.
base::Status TryAgain(std::string message);
// A list or watch met an object that cannot be read: kube-apiserver's cache of such a version never gets
// ready.
base::Status StorageNotReady(const std::string& api_version, const std::string& kind, const std::string& why);

// no kind "Foo" is registered for version "v1" in scheme …
std::string KindNotRegistered(const std::string& kind, const std::string& api_version);

// strconv.ParseUint: parsing "abc": invalid syntax
std::string ParseUintProblem(std::string_view text);

}  // namespace annex::api
