#include "foundation.h"

#include "annex/source/adoption_names.h"
#include "annex/store/sqlite.h"
#include "wait_for.h"

namespace annex::server {
namespace {

store::SqliteOptions StoreOptions(const ServeOptions& options) {
  store::SqliteOptions store;
  store.data_directory = options.data_dir;
  store.try_again = options.data_dir_in_use;
  store.history_age = options.history_age;
  store.history_bytes = options.history_mib << 20;
  if (options.adopt) store.revisions_beyond = source::kBeyondEtcd;
  return store;
}

}  // namespace

Foundation::Foundation(const ServeOptions& serve_options) : options(serve_options), hub({}, metrics) {}

Foundation::~Foundation() {
  Stop();
}

base::Result<std::unique_ptr<Foundation>> Foundation::Open(const ServeOptions& options) {
  auto foundation = std::make_unique<Foundation>(options);
  ANNEX_TRY(foundation->store,
            store::OpenSqliteStore(StoreOptions(options), foundation->clock, foundation->metrics,
                                   foundation->store_thread, &foundation->hub));
  foundation->hub.SetStore(*foundation->store);
  foundation->health.Add({"ping", [] { return base::Result<void>(); }, true});
  foundation->health.Add({"store", [&store = *foundation->store] { return store.Healthy(); }, true});
  return foundation;
}

base::Result<store::CollectionId> Foundation::OpenCollection(const std::string& name) {
  ANNEX_TRY(const auto collection, WaitFor<base::Result<store::CollectionInfo>>(
                                       [&](auto done) { store->OpenCollection(name, std::move(done)); }));
  return collection.id;
}

void Foundation::Stop() {
  control_thread.Stop();
  store_thread.Stop();
}

}  // namespace annex::server
