// Revisions, conditions, groups and bytes of commits.
#include "store_contract.h"

#include <algorithm>
#include <string>
#include <vector>

namespace annex::test {
namespace {

using base::Reason;
using store::Revision;

Reason ReasonOf(const base::Result<store::Committed>& result) {
  return result ? Reason::kUnknown : result.error().reason;
}

// Commits that are all asked for before the writer begins.
struct Burst {
  std::vector<base::Result<store::Committed>> results;
  std::vector<std::size_t> order;  // of the answers
};

Burst CommitTogether(StoreFixture& fixture, std::vector<store::Mutation> mutations) {
  Burst burst;
  burst.results.resize(mutations.size());
  std::promise<void> all;
  std::size_t left = mutations.size();
  fixture.engine().Pause();
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    fixture.store().Commit(std::move(mutations[i]), [&, i](base::Result<store::Committed> result) {
      burst.results[i] = std::move(result);
      burst.order.push_back(i);
      if (--left == 0) all.set_value();
    });
  }
  fixture.engine().Resume();
  auto done = all.get_future();
  REQUIRE(fixture.engine().Wait(done));
  return burst;
}

}  // namespace

TEST_CASE("a new store is at a revision of at least one and lists nothing", "[contract][revision]") {
  StoreFixture fixture;
  CHECK(fixture.store().CurrentRevision() >= 1);
  CHECK(fixture.store().CompactedRevision() >= 1);
  CHECK(fixture.store().CompactedRevision() <= fixture.store().CurrentRevision());
  CHECK(fixture.store().Healthy());
  const auto c = fixture.Collection();
  CHECK(fixture.List(c).rows.empty());
  CHECK(fixture.List(c).page.at == fixture.store().CurrentRevision());
  CHECK(fixture.Count(c) == 0);
  CHECK(fixture.Load(c, "ns/a") == nullptr);
}

TEST_CASE("revisions rise with each commit over all collections", "[contract][revision]") {
  StoreFixture fixture;
  const auto a = fixture.Collection("a");
  const auto b = fixture.Collection("b");
  Revision last = fixture.store().CurrentRevision();
  for (int i = 0; i < 20; ++i) {
    const auto object = fixture.Create(i % 2 == 0 ? a : b, "ns/" + std::to_string(i));
    CHECK(object->revision > last);
    last = object->revision;
    CHECK(fixture.store().CurrentRevision() == last);
  }
  CHECK(fixture.Delete(a, "ns/0") > last);
}

TEST_CASE("revisions rise over restarts", "[contract][revision]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  Revision last = fixture.Create(c, "ns/a")->revision;
  for (int i = 0; i < 3; ++i) {
    fixture.Reopen();
    CHECK(fixture.store().CurrentRevision() == last);
    const Revision next = fixture.Update(c, "ns/a")->revision;
    CHECK(next > last);
    last = next;
  }
}

TEST_CASE("no revision comes again when the newest change is a deletion that was compacted",
          "[contract][revision]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "ns/a");
  const Revision deleted = fixture.Delete(c, "ns/a");
  for (int i = 0; i < 3; ++i) {
    fixture.CompactAll();
    fixture.Reopen();
    CHECK(fixture.store().CurrentRevision() == deleted);
  }
  CHECK(fixture.Create(c, "ns/b")->revision > deleted);
}

TEST_CASE("no revision comes again when the newest change belonged to a dropped collection",
          "[contract][revision]") {
  StoreFixture fixture;
  const auto kept = fixture.Collection("kept");
  const auto dropped = fixture.Collection("dropped");
  fixture.Create(kept, "ns/a");
  const Revision newest = fixture.Create(dropped, "ns/a")->revision;
  REQUIRE(fixture.DropCollection(dropped));
  fixture.CompactAll();
  fixture.Reopen();
  fixture.CompactAll();
  CHECK(fixture.store().CurrentRevision() >= newest);
  CHECK(fixture.Create(kept, "ns/b")->revision > newest);
}

TEST_CASE("an object keeps what was committed", "[contract][commit]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const Terms terms = {{"Lapp", "web"}, {"F.spec.size", "3"}};
  store::Mutation mutation = Creation(c, "ns/a", R"({"v":""})", terms, 0xFEDCBA9876543210ULL);
  mutation.next->body.revision_at = 6;
  const auto committed = fixture.Commit(std::move(mutation));
  REQUIRE(committed);
  for (const store::ObjectPtr& object : {committed->object, fixture.Load(c, "ns/a")}) {
    REQUIRE(object);
    CHECK(object->key == "ns/a");
    CHECK(object->revision == committed->revision);
    CHECK(object->body.bytes == R"({"v":""})");
    CHECK(object->body.revision_at == 6);
    CHECK(object->terms == selector::TermSet(terms));
    CHECK(object->format == 0xFEDCBA9876543210ULL);
  }
  fixture.Reopen();
  CHECK(fixture.Load(c, "ns/a")->format == 0xFEDCBA9876543210ULL);
}

TEST_CASE("a mutation is applied only to the state that its author saw", "[contract][commit]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto first = fixture.Create(c, "ns/a", "1");
  const auto second = fixture.Update(c, "ns/a", "2");
  const Revision before = fixture.store().CurrentRevision();

  CHECK(ReasonOf(fixture.Commit(Creation(c, "ns/a", "3"))) == Reason::kConflict);
  CHECK(ReasonOf(fixture.Commit(Replacement(c, first, "3"))) == Reason::kConflict);
  CHECK(ReasonOf(fixture.Commit(Deletion(c, first))) == Reason::kConflict);
  CHECK(fixture.Load(c, "ns/a")->body.bytes == "2");
  CHECK(fixture.store().CurrentRevision() == before);

  CHECK(fixture.Commit(Deletion(c, second)));
  CHECK(ReasonOf(fixture.Commit(Replacement(c, second, "3"))) == Reason::kConflict);
  CHECK(ReasonOf(fixture.Commit(Deletion(c, second))) == Reason::kConflict);
  CHECK(ReasonOf(fixture.Commit({c, "ns/a", nullptr, std::nullopt})) == Reason::kConflict);
  CHECK(fixture.Load(c, "ns/a") == nullptr);
}

TEST_CASE("an object made again is another one for whoever saw the first", "[contract][commit]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto first = fixture.Create(c, "ns/a", "1");
  fixture.Delete(c, "ns/a");
  fixture.Create(c, "ns/a", "2");
  CHECK(ReasonOf(fixture.Commit(Replacement(c, first, "3"))) == Reason::kConflict);
  CHECK(ReasonOf(fixture.Commit(Deletion(c, first))) == Reason::kConflict);
}

TEST_CASE("equal keys of two collections are two objects", "[contract][commit]") {
  StoreFixture fixture;
  const auto a = fixture.Collection("a");
  const auto b = fixture.Collection("b");
  fixture.Create(a, "ns/x", "of a");
  fixture.Create(b, "ns/x", "of b");
  fixture.Delete(a, "ns/x");
  CHECK(fixture.Load(a, "ns/x") == nullptr);
  CHECK(fixture.Load(b, "ns/x")->body.bytes == "of b");
}

TEST_CASE("commits that wait together are published as one group and in order", "[contract][group]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  std::vector<store::Mutation> mutations;
  for (int i = 0; i < 50; ++i) mutations.push_back(Creation(c, "ns/" + std::to_string(i)));
  const Burst burst = CommitTogether(fixture, std::move(mutations));

  const auto groups = fixture.recorder().Take();
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].events.size() == 50);
  CHECK(groups[0].upto == groups[0].events.back()->revision());
  for (std::size_t i = 0; i < burst.results.size(); ++i) {
    REQUIRE(burst.results[i]);
    CHECK(burst.order[i] == i);
    CHECK(groups[0].events[i]->revision() == burst.results[i]->revision);
    CHECK(groups[0].events[i]->object() == burst.results[i]->object);
  }
}

TEST_CASE("a refused commit leaves the others of its group alone", "[contract][group]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto seen = fixture.Create(c, "ns/a", "0");
  std::vector<store::Mutation> mutations;
  mutations.push_back(Replacement(c, seen, "1"));
  mutations.push_back(Replacement(c, seen, "2"));  // the first one came before it
  mutations.push_back(Creation(c, "ns/b"));
  mutations.push_back(Creation(c, "ns/b"));
  mutations.push_back(Creation(c + 1000, "ns/b"));
  mutations.push_back(Creation(c, "ns/c"));
  const Burst burst = CommitTogether(fixture, std::move(mutations));

  CHECK(burst.results[0]);
  CHECK(ReasonOf(burst.results[1]) == Reason::kConflict);
  CHECK(burst.results[2]);
  CHECK(ReasonOf(burst.results[3]) == Reason::kConflict);
  CHECK(ReasonOf(burst.results[4]) == Reason::kNotFound);
  CHECK(burst.results[5]);
  CHECK(fixture.Load(c, "ns/a")->body.bytes == "1");
  CHECK(fixture.List(c).Keys() == std::vector<std::string>{"ns/a", "ns/b", "ns/c"});
  CHECK(fixture.Count(c) == 3);
}

TEST_CASE("events are published before their commit is answered", "[contract][group]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  bool published = false;
  const auto committed = fixture.Wait<store::Committed>([&](auto done) {
    fixture.store().Commit(Creation(c, "ns/a"), [&, done](base::Result<store::Committed> result) {
      published = fixture.recorder().Take().size() == 1;
      done(std::move(result));
    });
  });
  CHECK(committed);
  CHECK(published);
}

TEST_CASE("a callback may commit again", "[contract][group]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto second = fixture.Wait<store::Committed>([&](auto done) {
    fixture.store().Commit(Creation(c, "ns/a"), [&, done](base::Result<store::Committed> first) {
      fixture.store().Commit(Replacement(c, first->object, "again"), done);
    });
  });
  REQUIRE(second);
  CHECK(fixture.Load(c, "ns/a")->body.bytes == "again");
}

TEST_CASE("one write too many gets TooManyRequests and the others go through", "[contract][limits]") {
  StoreFixture fixture({.max_queued_writes = 3});
  const auto c = fixture.Collection();
  std::vector<store::Mutation> mutations;
  for (int i = 0; i < 5; ++i) mutations.push_back(Creation(c, "ns/" + std::to_string(i)));
  const Burst burst = CommitTogether(fixture, std::move(mutations));
  CHECK(std::count_if(burst.results.begin(), burst.results.end(),
                      [](const auto& result) { return result.has_value(); }) == 3);
  CHECK(ReasonOf(burst.results[3]) == Reason::kTooManyRequests);
  CHECK(ReasonOf(burst.results[4]) == Reason::kTooManyRequests);
  CHECK(fixture.store().Healthy());
  CHECK(fixture.Create(c, "ns/4"));
}

TEST_CASE("a read-only collection takes nothing, and tells when to try again", "[contract][limits]") {
  StoreFixture fixture;
  const auto c = fixture.Collection("a");
  const auto other = fixture.Collection("b");
  REQUIRE(fixture.Create(c, "ns/before"));
  const auto set_access = [&](store::Store::Access access) {
    return fixture.Wait<void>([&](auto done) { fixture.store().SetAccess(c, access, done); });
  };
  REQUIRE(set_access(store::Store::Access::kReadOnly));
  const auto refused = fixture.Wait<store::Committed>(
      [&](auto done) { fixture.store().Commit(Creation(c, "ns/during"), done); });
  REQUIRE(ReasonOf(refused) == Reason::kTooManyRequests);
  CHECK(refused.error().details.retry_after_seconds == 1);
  CHECK(fixture.Load(c, "ns/before") != nullptr);
  CHECK(fixture.Count(c) == 1);
  CHECK(fixture.Create(other, "ns/a"));
  REQUIRE(set_access(store::Store::Access::kReadWrite));
  CHECK(fixture.Create(c, "ns/after"));
}

TEST_CASE("what was asked for before a collection became read-only is decided by then",
          "[contract][limits]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  std::vector<store::Mutation> mutations;
  for (int i = 0; i < 20; ++i) mutations.push_back(Creation(c, "ns/" + std::to_string(i)));
  fixture.engine().Pause();
  std::vector<base::Result<store::Committed>> results;
  for (store::Mutation& mutation : mutations) {
    fixture.store().Commit(std::move(mutation), [&](auto result) { results.push_back(std::move(result)); });
  }
  std::promise<void> read_only;
  std::size_t decided = 0;
  fixture.store().SetAccess(c, store::Store::Access::kReadOnly, [&](const base::Result<void>&) {
    decided = results.size();
    read_only.set_value();
  });
  fixture.engine().Resume();
  auto done = read_only.get_future();
  REQUIRE(fixture.engine().Wait(done));
  CHECK(decided == 20);
  CHECK(fixture.Count(c) == 20);
}

TEST_CASE("too many bytes waiting get TooManyRequests", "[contract][limits]") {
  StoreFixture fixture({.max_queued_bytes = 1000});
  const auto c = fixture.Collection();
  std::vector<store::Mutation> mutations;
  for (int i = 0; i < 4; ++i)
    mutations.push_back(Creation(c, "ns/" + std::to_string(i), std::string(600, 'x')));
  const Burst burst = CommitTogether(fixture, std::move(mutations));
  CHECK(burst.results[0]);
  CHECK(burst.results[1]);
  CHECK(ReasonOf(burst.results[2]) == Reason::kTooManyRequests);
  CHECK(ReasonOf(burst.results[3]) == Reason::kTooManyRequests);
  // The bytes that were counted are given back.
  CHECK(fixture.Create(c, "ns/2", std::string(600, 'x')));
}

TEST_CASE("bodies of every size and content come back byte by byte", "[contract][bytes]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const std::vector<std::size_t> sizes = {0, 1, 100, 4095, 8191, 8192, 8193, 65536, 1 << 20, (3 << 20) + 7};
  std::vector<std::string> bodies;
  for (const std::size_t size : sizes) {
    std::string body(size, '\0');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>((i * 31 + size) & 0xFFU);
    bodies.push_back(std::move(body));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    fixture.Create(c, "ns/" + std::to_string(sizes[i]), bodies[i]);
  fixture.Reopen();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto object = fixture.Load(c, "ns/" + std::to_string(sizes[i]));
    REQUIRE(object);
    CHECK((object->body.bytes == bodies[i]));
    // An empty body is not a deletion.
    CHECK(fixture.ReadLog(c, object->revision - 1)[0]->object() != nullptr);
  }
}

TEST_CASE("keys with odd characters keep apart and in bytewise order", "[contract][bytes]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  std::vector<std::string> keys = {"a",
                                   "A",
                                   "a-b/x",
                                   "a/x",
                                   "a0/x",
                                   "a/x%25",
                                   "a/'; DROP TABLE head; --",
                                   "a/x\"",
                                   "a/\xff\xfe",
                                   "a/é",
                                   "a/e\xCC\x81",
                                   "a/\xF0\x9F\x98\x80",
                                   "a/_",
                                   "a/x y",
                                   "a/x\ny",
                                   "a/*",
                                   "a/?",
                                   std::string("a/x\0y", 5),
                                   std::string("a/x\0", 4),
                                   "a/" + std::string(253, 'z')};
  for (const std::string& key : keys) fixture.Create(c, key, key);
  std::sort(keys.begin(), keys.end());
  CHECK(fixture.List(c).Keys() == keys);
  for (const std::string& key : keys) {
    REQUIRE(fixture.Load(c, key));
    CHECK(fixture.Load(c, key)->body.bytes == key);
  }
  CHECK(fixture.Load(c, "a/X") == nullptr);
}

TEST_CASE("many collections live side by side", "[contract][collection]") {
  StoreFixture fixture;
  std::vector<store::CollectionId> ids;
  for (int i = 0; i < 300; ++i) {
    ids.push_back(fixture.Collection("collection-" + std::to_string(i)));
    fixture.Create(ids.back(), "ns/a", std::to_string(i));
  }
  fixture.Reopen();
  for (std::size_t i = 0; i < ids.size(); i += 37) {
    CHECK(fixture.Collection("collection-" + std::to_string(i)) == ids[i]);
    CHECK(fixture.Load(ids[i], "ns/a")->body.bytes == std::to_string(i));
    CHECK(fixture.Count(ids[i]) == 1);
  }
}

}  // namespace annex::test
