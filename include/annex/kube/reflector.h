// Reflector: the present objects of a resource in the cluster, and then every change of them, for ever (what
// client-go's Reflector does: list, watch, list again when the watch is too old, wait longer after each
// failure).
//
//   Reflector reflector(client, {.path = "/api/v1/namespaces"}, random, executor);
//   tasks.Spawn(reflector.Run({…}));
//
// Thread rule: used on one executor. Lifetime: the executor must run no more tasks when it is destroyed.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/random.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/kube/client.h"

#include <functional>
#include <string>

namespace annex::kube {

class Reflector {
 public:
  struct Options {
    std::string path;            // "/api/v1/namespaces"
    std::string field_selector;  // percent-encoded
    bool metadata_only = false;  // objects come as PartialObjectMetadata
  };
  Reflector(Client& client, Options options, base::Random& random, base::Executor& executor);

  struct Handlers {
    // A round of the present state begins: what is not told until on_synced does not exist any more.
    std::function<void()> on_begin;
    // The present state of an object, or its end (`deleted`).
    std::function<void(const json::Value& object, bool deleted)> on_object;
    // The present state was told completely.
    std::function<void()> on_synced;
  };
  base::Task<void> Run(Handlers handlers);

 private:
  base::Task<base::Result<std::string>> List(const Handlers& handlers);
  base::Task<base::Result<void>> Watch(const Handlers& handlers, std::string& resource_version);
  std::string Target(const std::string& parameters) const;

  Client& client_;
  const Options options_;
  base::Random& random_;
  base::Executor& executor_;
};

}  // namespace annex::kube
