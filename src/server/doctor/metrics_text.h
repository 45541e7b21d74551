// What kube-apiserver's metrics say of the sizes of things in etcd, from the text of /metrics
// (k8s.io/apiserver/pkg/storage/etcd3/metrics).
//
// Thread rule: a free function.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace annex::server::doctor {

// By "widgets.example.com", or "pods" for a resource of the core group. Counts are a minute old at most;
// those that kube-apiserver could not get are left out.
struct StorageMetrics {
  std::map<std::string, std::int64_t> objects;
  std::map<std::string, std::int64_t> bytes;   // only from 1.34 on
  std::optional<std::int64_t> database_bytes;  // of etcd's file
};

StorageMetrics ReadStorageMetrics(std::string_view text);

}  // namespace annex::server::doctor
