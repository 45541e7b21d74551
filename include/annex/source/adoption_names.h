// The labels, annotations and conditions of the domain annex.dev that adoption reads and writes, and the
// revisions that tell Annex's objects from etcd's.
//
// Thread rule: constants.
#pragma once

#include <cstdint>

namespace annex::source {

// A store that objects are adopted into counts its revisions beyond this one. etcd would need thirty years of
// a thousand writes a second to get there.
inline constexpr std::int64_t kBeyondEtcd = 1'000'000'000'000;

// On a CustomResourceDefinition of the cluster: whether Annex shall serve it ("true"), or give it back to the
// cluster ("false").
inline constexpr const char* kServeLabel = "annex.dev/serve";
// The condition of such a definition that says whether it does, and else why not.
inline constexpr const char* kAdoptedCondition = "annex.dev/Adopted";

// On a definition of an adopted group: what etcd still has of its objects shall be removed; and the condition
// that says whether it is.
inline constexpr const char* kPurgeAnnotation = "annex.dev/purge";
inline constexpr const char* kPurgeOldCopies = "old-copies";
inline constexpr const char* kPurgedCondition = "annex.dev/OldCopiesPurged";

// On Annex's own copy of an adopted definition: the uid of the cluster's definition, which names the objects
// that belong to it; and the uid of the cluster's namespace kube-system, which tells clusters apart.
inline constexpr const char* kAdoptedAnnotation = "annex.dev/adopted-from";
inline constexpr const char* kClusterAnnotation = "annex.dev/cluster";

// On Annex's own copy of an adopted definition while its group goes back to the cluster; each includes what
// stands before it. One definition of a group that has come to "decided" decides for all.
inline constexpr const char* kReleaseAnnotation = "annex.dev/release";
inline constexpr const char* kReleaseLeaving = "leaving";  // lists and watches are refused
inline constexpr const char* kReleaseFrozen = "frozen";    // writes are refused
inline constexpr const char* kReleaseDecided = "decided";  // the objects in etcd count

// On what Annex makes in a cluster.
inline constexpr const char* kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr const char* kManagedByAnnex = "annex";

}  // namespace annex::source
