// The rules for names in the Kubernetes API, with kube-apiserver's messages
// (k8s.io/apimachinery/pkg/util/validation and pkg/api/validation).
//
// Each function returns what is wrong with a name; empty means valid.
//
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace annex::base {

inline constexpr std::size_t kMaxSubdomainLength = 253;
inline constexpr std::size_t kMaxLabelLength = 63;

using NameProblems = std::vector<std::string>;

// Names of most objects, groups, prefixes of keys: "example.com".
NameProblems CheckDns1123Subdomain(std::string_view name);
// Names of namespaces: "my-name".
NameProblems CheckDns1123Label(std::string_view name);
// Names of resources: as a DNS-1123 label, but begins with a letter.
NameProblems CheckDns1035Label(std::string_view name);
// Keys of labels and annotations, finalizers: "example.com/MyName".
NameProblems CheckQualifiedName(std::string_view name);
NameProblems CheckLabelValue(std::string_view value);
// A path segment: what an object's name must be at least, since it becomes part of a URL.
NameProblems CheckPathSegment(std::string_view name);

}  // namespace annex::base
