#include "store_contract.h"

#include "annex/base/log.h"

#include <utility>

namespace annex::test {

std::vector<std::string> Listed::Keys() const {
  std::vector<std::string> keys;
  for (const Shown& row : rows) keys.push_back(row.key);
  return keys;
}

void Recorder::OnCommitted(const std::vector<store::EventPtr>& events, store::Revision upto) {
  if (!events.empty()) {
    const base::MutexLock lock(mutex_);
    groups_.push_back({events, upto});
  }
  next_.OnCommitted(events, upto);
}

void Recorder::OnCollectionDropped(store::CollectionId collection) {
  next_.OnCollectionDropped(collection);
}

std::vector<Recorder::Group> Recorder::Take() {
  const base::MutexLock lock(mutex_);
  return std::exchange(groups_, {});
}

StoreFixture::StoreFixture(Engine::Settings settings, store::WatchHub::Options hub_options)
    : settings_(settings), hub_options_(hub_options), engine_(MakeEngine()) {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  Open();
}

StoreFixture::~StoreFixture() {
  Close();
}

void StoreFixture::Open() {
  metrics_ = std::make_unique<base::Metrics>();
  hub_ = std::make_unique<store::WatchHub>(hub_options_, *metrics_);
  recorder_ = std::make_unique<Recorder>(*hub_);
  auto opened = engine_->Open(settings_, clock, *metrics_, recorder_.get());
  if (!opened) FAIL(opened.error().message);
  store_ = *std::move(opened);
  hub_->SetStore(*store_);
}

void StoreFixture::Close() {
  if (!store_) return;
  engine_->Stop();
  store_.reset();
  hub_.reset();
}

void StoreFixture::AwaitWakes() {
  std::promise<void> done;
  wakes_.Post([&done] { done.set_value(); });
  done.get_future().wait();
}

void StoreFixture::Reopen() {
  Close();
  Open();
}

void StoreFixture::ReopenWith(Engine::Settings settings) {
  settings_ = settings;
  Reopen();
}

base::Result<store::CollectionInfo> StoreFixture::OpenCollection(const std::string& name) {
  return Wait<store::CollectionInfo>([&](auto done) { store_->OpenCollection(name, std::move(done)); });
}

base::Result<void> StoreFixture::DropCollection(store::CollectionId collection) {
  return Wait<void>([&](auto done) { store_->DropCollection(collection, std::move(done)); });
}

base::Result<store::Committed> StoreFixture::Commit(store::Mutation mutation) {
  return Wait<store::Committed>([&](auto done) { store_->Commit(std::move(mutation), std::move(done)); });
}

base::Result<void> StoreFixture::UpdateTerms(store::CollectionId collection,
                                             std::vector<store::TermUpdate> updates) {
  return Wait<void>([&](auto done) { store_->UpdateTerms(collection, std::move(updates), std::move(done)); });
}

base::Result<void> StoreFixture::SetTermsFormat(store::CollectionId collection, std::uint64_t format) {
  return Wait<void>([&](auto done) { store_->SetTermsFormat(collection, format, std::move(done)); });
}

base::Result<void> StoreFixture::Compact() {
  return Wait<void>([&](auto done) { store_->Compact(std::move(done)); });
}

store::CollectionId StoreFixture::Collection(const std::string& name) {
  const auto opened = OpenCollection(name);
  REQUIRE(opened);
  return opened->id;
}

store::ObjectPtr StoreFixture::Create(store::CollectionId collection, const std::string& key,
                                      const std::string& body, const Terms& terms, std::uint64_t format) {
  const auto committed = Commit(Creation(collection, key, body, terms, format));
  if (!committed) FAIL("create " << key << ": " << committed.error().message);
  return committed->object;
}

store::ObjectPtr StoreFixture::Update(store::CollectionId collection, const std::string& key,
                                      const std::string& body, const Terms& terms, std::uint64_t format) {
  const auto committed = Commit(Replacement(collection, Load(collection, key), body, terms, format));
  if (!committed) FAIL("update " << key << ": " << committed.error().message);
  return committed->object;
}

store::Revision StoreFixture::Delete(store::CollectionId collection, const std::string& key) {
  const auto committed = Commit(Deletion(collection, Load(collection, key)));
  if (!committed) FAIL("delete " << key << ": " << committed.error().message);
  CHECK(committed->object == nullptr);
  return committed->revision;
}

store::ObjectPtr StoreFixture::Load(store::CollectionId collection, const std::string& key) {
  auto loaded = store_->Load(collection, key);
  REQUIRE(loaded);
  return *std::move(loaded);
}

Listed StoreFixture::List(const store::ListQuery& query, std::size_t limit) {
  Listed listed;
  auto page = store_->List(query, [&](const store::Row& row) {
    if (listed.rows.size() == limit) return store::Visit::kStop;
    listed.rows.push_back({std::string(row.key), row.revision, std::string(row.body), row.revision_at,
                           std::string(row.terms), row.format, row.judged});
    return store::Visit::kNext;
  });
  if (!page) FAIL("list: " << page.error().message);
  listed.page = *std::move(page);
  return listed;
}

base::Status StoreFixture::ListError(const store::ListQuery& query) {
  const auto page = store_->List(query, [](const store::Row&) {
    FAIL("a list that fails shows nothing");
    return store::Visit::kStop;
  });
  REQUIRE(!page);
  return page.error();
}

std::vector<store::EventPtr> StoreFixture::ReadLog(store::CollectionId collection, store::Revision after) {
  const auto batch = store_->ReadLog({collection, "", after, 1'000'000, 1UL << 40U});
  if (!batch) FAIL("read log: " << batch.error().message);
  return batch->events;
}

std::int64_t StoreFixture::Count(store::CollectionId collection) {
  const auto count = store_->Count(collection);
  REQUIRE(count);
  return *count;
}

void StoreFixture::CompactAll() {
  clock.Advance(settings_.history_age + std::chrono::seconds(2));
  REQUIRE(Compact());
}

store::Mutation Creation(store::CollectionId collection, const std::string& key, const std::string& body,
                         const Terms& terms, std::uint64_t format) {
  return {collection, key, nullptr, store::Mutation::State{{body, 0}, selector::TermSet(terms), format}};
}

store::Mutation Replacement(store::CollectionId collection, store::ObjectPtr seen, const std::string& body,
                            const Terms& terms, std::uint64_t format) {
  REQUIRE(seen);
  std::string key = seen->key;
  return {collection, std::move(key), std::move(seen),
          store::Mutation::State{{body, 0}, selector::TermSet(terms), format}};
}

store::Mutation Deletion(store::CollectionId collection, store::ObjectPtr seen) {
  REQUIRE(seen);
  std::string key = seen->key;
  return {collection, std::move(key), std::move(seen), std::nullopt};
}

std::string Describe(const store::Event& event) {
  std::string text = !event.previous() ? "create " : event.object() ? "update " : "delete ";
  text += event.key() + "@" + std::to_string(event.revision());
  if (event.previous()) text += " was " + std::to_string(event.previous()->revision);
  return text;
}

std::vector<std::string> Describe(const std::vector<store::EventPtr>& events) {
  std::vector<std::string> texts;
  for (const store::EventPtr& event : events) texts.push_back(Describe(*event));
  return texts;
}

selector::TermCondition In(const std::string& term, std::vector<std::string> values) {
  return {term, selector::Operator::kIn, std::move(values)};
}

selector::TermCondition NotIn(const std::string& term, std::vector<std::string> values) {
  return {term, selector::Operator::kNotIn, std::move(values)};
}

}  // namespace annex::test
