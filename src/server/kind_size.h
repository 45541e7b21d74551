// KindSize: how many objects of a kind a cluster has, and how many bytes they are, from one page of a list.
//
// Thread rule: the task runs on `executor`.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/kube/client.h"

#include <cstdint>
#include <string>

namespace annex::server {

struct KindSize {
  std::int64_t objects = 0;
  std::int64_t bytes = 0;  // as JSON, which is what etcd keeps of custom resources
  bool estimated = false;  // from the first objects; their number is exact
};

// `path`: of the resource, "/apis/example.com/v1/widgets". Errors: as source::CallCluster.
base::Task<base::Result<KindSize>> MeasureKind(kube::Client& client, std::string path,
                                               base::Executor& executor);

// "1.5 KiB", or "about 20 MiB" for an estimate.
std::string SizeText(const KindSize& size);

}  // namespace annex::server
