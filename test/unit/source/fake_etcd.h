// FakeEtcd: the widgets that a cluster has in etcd, behind the calls that EtcdObjects makes of
// kube-apiserver.
//
// Thread rule: one thread.
#pragma once

#include "annex/json/value.h"
#include "annex/source/cluster_call.h"

#include <map>
#include <string>

namespace annex::test {

class FakeEtcd {
 public:
  static constexpr const char* kCreated = "2026-03-01T00:00:00Z";  // of what is created here

  source::ClusterCall call();

  // The objects, by namespace and name.
  std::map<std::string, json::Value> objects;
  int writes = 0;
  int fail_at_write = 0;  // this one, and every later one, is not answered; 0: none

 private:
  using Call = kube::Client::Call;
  base::Task<base::Result<json::Value>> Answer(Call call);
  json::Value List(const std::string& query) const;
  base::Result<json::Value> Create(const std::string& path, json::Value object);
  base::Result<json::Value> Replace(const std::string& key, json::Value object);
  base::Result<json::Value> Patch(const std::string& key, const json::Value& patch);
  base::Result<json::Value> Delete(const std::string& key, const json::Value& options);
  json::Value Keep(const std::string& key, json::Value object);
  std::string NewRevision() { return std::to_string(++revision_); }

  int revision_ = 100;
  int uids_ = 0;
};

}  // namespace annex::test
