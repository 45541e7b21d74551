#include "simulated_store.h"

namespace annex::test {

SimulatedStore::SimulatedStore(SimulatedDisk& disk) {
  options.data_directory = "/data";
  options.vfs = disk.vfs();
}

base::Result<void> SimulatedStore::Open(store::CommitObserver* observer) {
  Close();
  writer_ = scheduler.NewExecutor("writer");
  // Each store registers its metrics anew.
  metrics_.emplace();
  ANNEX_TRY(store_, store::OpenSqliteStore(options, scheduler.clock(), *metrics_, *writer_, observer));
  return {};
}

void SimulatedStore::Close() {
  store_.reset();
  writer_.reset();
}

base::Result<store::CollectionInfo> SimulatedStore::OpenCollection(const std::string& name) {
  return Wait<store::CollectionInfo>([&](auto done) { store_->OpenCollection(name, std::move(done)); });
}

base::Result<void> SimulatedStore::DropCollection(store::CollectionId collection) {
  return Wait<void>([&](auto done) { store_->DropCollection(collection, std::move(done)); });
}

base::Result<store::Committed> SimulatedStore::Commit(store::Mutation mutation) {
  return Wait<store::Committed>([&](auto done) { store_->Commit(std::move(mutation), std::move(done)); });
}

base::Result<void> SimulatedStore::Compact() {
  return Wait<void>([&](auto done) { store_->Compact(std::move(done)); });
}

base::Result<store::Committed> SimulatedStore::Put(store::CollectionId collection, const std::string& key,
                                                   const std::optional<std::string>& body) {
  ANNEX_TRY(auto seen, store_->Load(collection, key));
  store::Mutation mutation{collection, key, std::move(seen), std::nullopt};
  if (body) {
    store::Mutation::State& next = mutation.next.emplace();
    next.body.bytes = *body;
    next.terms = selector::TermSet({{"Lbody", body->substr(0, 20)}});
    next.format = 1;
  }
  return Commit(std::move(mutation));
}

std::string SimulatedStore::Show(store::CollectionId collection) {
  std::string text;
  const auto page = store_->List({.collection = collection}, [&text](const store::Row& row) {
    text.append(text.empty() ? "" : " ").append(row.key).append("=").append(row.body.substr(0, 20));
    return store::Visit::kNext;
  });
  return page ? text : "!" + page.error().message;
}

}  // namespace annex::test
