// Foundation: what a server stands on in every mode: clock, randomness, metrics, threads, the store and the
// registry of resources.
//
// Order of the end: whoever takes requests stops first; then Stop ends the threads; then everything is
// destroyed in the reverse order of its making.
#pragma once

#include "annex/api/health.h"
#include "annex/base/clock.h"
#include "annex/base/metrics.h"
#include "annex/base/random.h"
#include "annex/base/result.h"
#include "annex/base/serial_thread.h"
#include "annex/definition/registry.h"
#include "annex/server/options.h"
#include "annex/store/store.h"
#include "annex/store/watch_hub.h"

#include <memory>
#include <string>

namespace annex::server {

struct Foundation {
  // Opens the store in the options' data directory. Errors: as store::OpenSqliteStore.
  static base::Result<std::unique_ptr<Foundation>> Open(const ServeOptions& options);
  explicit Foundation(const ServeOptions& serve_options);
  ~Foundation();

  // The number of a collection, which is made if it is missing. Waits. Errors: InternalError.
  base::Result<store::CollectionId> OpenCollection(const std::string& name);
  // Ends both threads. Idempotent.
  void Stop();

  const ServeOptions options;
  base::SystemClock clock;
  base::SystemRandom random;
  base::Metrics metrics;
  base::SerialThread store_thread{"store"};  // writes
  base::SerialThread control_thread{
      "control"};  // the controllers of definitions, namespaces and registrations
  store::WatchHub hub;
  std::unique_ptr<store::Store> store;
  definition::Registry registry;
  api::Health health;
};

}  // namespace annex::server
