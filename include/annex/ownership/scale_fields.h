// The owners of an object's replicas, as its scale subresource shows them and takes them back
// (k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go).
//
// Thread rule: free functions.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <map>
#include <string>
#include <vector>

namespace annex::ownership {

// Where the versions of a resource have their replicas; no path: the version has no scale subresource.
using ReplicasPaths = std::map<std::string, std::vector<std::string>, std::less<>>;

// The entries of the object's managedFields that own its replicas, owning those of an autoscaling/v1 Scale.
// Errors: Unknown (entries that cannot be understood).
base::Result<json::Value> ScaleManagedFields(const json::Value& managed_fields, const ReplicasPaths& paths);

// The object's managedFields after a write to its scale subresource, which left `scale_managed_fields`, in
// `api_version`. New entries have no time. Entries of versions that are gone are dropped.
// REQUIRES: `paths` has a path for `api_version`. Errors: as above.
base::Result<json::Value> ManagedFieldsFromScale(const json::Value& managed_fields,
                                                 const json::Value& scale_managed_fields,
                                                 const ReplicasPaths& paths, const std::string& api_version);

}  // namespace annex::ownership
