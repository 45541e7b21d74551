// Collections: names, dropping them, and what is left afterwards.
#include "store_contract.h"

#include <string>
#include <vector>

namespace annex::test {
namespace {

using base::Reason;
using store::Revision;
using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a name stands for one collection", "[contract][collection]") {
  StoreFixture fixture;
  const auto a = fixture.OpenCollection("widgets.example.com");
  REQUIRE(a);
  CHECK(a->name == "widgets.example.com");
  CHECK(a->terms_format == 0);
  CHECK(fixture.Collection("widgets.example.com") == a->id);
  CHECK(fixture.Collection("Widgets.example.com") != a->id);
  CHECK(fixture.Collection("") != a->id);
  fixture.Reopen();
  CHECK(fixture.Collection("widgets.example.com") == a->id);
}

TEST_CASE("a dropped collection is gone for every reader at once", "[contract][drop]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto kept = fixture.Collection("kept");
  for (int i = 0; i < 10; ++i) fixture.Create(c, "ns/" + std::to_string(i));
  fixture.Create(kept, "ns/a");
  const Revision before = fixture.store().CurrentRevision();
  fixture.recorder().Take();
  REQUIRE(fixture.DropCollection(c));

  CHECK(fixture.Load(c, "ns/1") == nullptr);
  CHECK(fixture.Count(c) == 0);
  CHECK(fixture.ListError({.collection = c}).reason == Reason::kNotFound);
  CHECK(fixture.ListError({.collection = c, .at = before}).reason == Reason::kNotFound);
  CHECK(fixture.store().ReadLog({c, "", before - 5, 10, 1000}).error().reason == Reason::kNotFound);
  CHECK(fixture.recorder().Take().empty());
  CHECK(fixture.List(kept).Keys() == Keys{"ns/a"});
}

TEST_CASE("a dropped collection takes no more changes", "[contract][drop]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto a = fixture.Create(c, "a");
  REQUIRE(fixture.DropCollection(c));
  CHECK(fixture.Commit(Creation(c, "b")).error().reason == Reason::kNotFound);
  CHECK(fixture.Commit(Replacement(c, a)).error().reason == Reason::kNotFound);
  CHECK(fixture.Commit(Deletion(c, a)).error().reason == Reason::kNotFound);
  CHECK(fixture.DropCollection(c).error().reason == Reason::kNotFound);
  CHECK(fixture.DropCollection(c + 1000).error().reason == Reason::kNotFound);
  fixture.CompactAll();
  CHECK(fixture.DropCollection(c).error().reason == Reason::kNotFound);
  CHECK(fixture.store().Healthy());
}

TEST_CASE("a collection made after one of its name was dropped is a new one", "[contract][drop]") {
  StoreFixture fixture;
  const auto first = fixture.Collection();
  fixture.Create(first, "a", "first", {{"Lapp", "web"}});
  REQUIRE(fixture.SetTermsFormat(first, kFormat));
  REQUIRE(fixture.DropCollection(first));
  const auto info = fixture.OpenCollection("widgets");
  REQUIRE(info);
  const auto second = info->id;
  CHECK(second != first);
  CHECK(info->terms_format == 0);
  CHECK(fixture.List(second).rows.empty());
  CHECK(fixture.Count(second) == 0);
  CHECK(fixture.ReadLog(second, fixture.store().CompactedRevision()).empty());
  fixture.Create(second, "a", "second", {{"Lapp", "web"}});
  fixture.CompactAll();
  fixture.Reopen();
  CHECK(fixture.Collection() == second);
  CHECK(fixture.Load(second, "a")->body.bytes == "second");
  const selector::Query web{{In("Lapp", {"web"})}, {}};
  CHECK(fixture.List({.collection = second, .query = &web}).Keys() == Keys{"a"});
  CHECK(fixture.Count(second) == 1);
}

TEST_CASE("an id is never used again, even if its collection was the last one made", "[contract][drop]") {
  StoreFixture fixture;
  store::CollectionId last = 0;
  for (int i = 0; i < 5; ++i) {
    const auto id = fixture.Collection("c" + std::to_string(i % 2));
    CHECK(id > last);
    last = id;
    fixture.Create(id, "a");
    REQUIRE(fixture.DropCollection(id));
    fixture.CompactAll();
    if (i % 2 == 1) fixture.Reopen();
  }
}

TEST_CASE("a list that began before the drop shows its revision to the end", "[contract][drop]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (int i = 0; i < 10; ++i) fixture.Create(c, std::to_string(i));
  int rows = 0;
  const auto page = fixture.store().List({.collection = c}, [&](const store::Row&) {
    if (++rows == 3) {
      REQUIRE(fixture.DropCollection(c));
      fixture.CompactAll();
    }
    return store::Visit::kNext;
  });
  CHECK(page);
  CHECK(rows == 10);
}

TEST_CASE("a drop survives a restart before its space came back", "[contract][drop]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "a");
  REQUIRE(fixture.DropCollection(c));
  fixture.Reopen();
  CHECK(fixture.Load(c, "a") == nullptr);
  CHECK(fixture.ListError({.collection = c}).reason == Reason::kNotFound);
  CHECK(fixture.Commit(Creation(c, "a")).error().reason == Reason::kNotFound);
  fixture.CompactAll();
  CHECK(fixture.ListError({.collection = c}).reason == Reason::kNotFound);
}

TEST_CASE("changes and a drop that wait together happen in their order", "[contract][drop]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  std::vector<std::string> answers;
  std::promise<void> all;
  const auto note = [&](const std::string& what, bool good) {
    answers.push_back(what + (good ? " done" : " refused"));
    if (answers.size() == 5) all.set_value();
  };
  fixture.engine().Pause();
  store::CollectionId again = 0;
  fixture.store().Commit(Creation(c, "a"), [&](auto result) { note("create", result.has_value()); });
  fixture.store().DropCollection(c, [&](auto result) { note("drop", result.has_value()); });
  fixture.store().Commit(Creation(c, "b"), [&](auto result) { note("create", result.has_value()); });
  fixture.store().OpenCollection("widgets", [&](auto result) {
    again = result ? result->id : 0;
    note("open", result.has_value());
  });
  fixture.store().DropCollection(c, [&](auto result) { note("drop", result.has_value()); });
  fixture.engine().Resume();
  auto done = all.get_future();
  REQUIRE(fixture.engine().Wait(done));
  CHECK(answers == Keys{"create done", "drop done", "create refused", "open done", "drop refused"});
  CHECK(again > c);
  CHECK(fixture.List(again).rows.empty());
}

TEST_CASE("the space of dropped collections comes back", "[contract][drop]") {
  StoreFixture fixture;
  const auto round = [&] {
    const auto c = fixture.Collection();
    for (int i = 0; i < 100; ++i) {
      fixture.Create(c, "ns" + std::to_string(i) + "/a", std::string(20'000, 'x'),
                     {{"Lapp", "web"}, {"Lnumber", std::to_string(i)}});
    }
    REQUIRE(fixture.DropCollection(c));
    fixture.CompactAll();
    fixture.Reopen();
    return fixture.engine().DataBytes();
  };
  const std::uint64_t first = round();
  for (int i = 0; i < 5; ++i) round();
  CHECK(round() < first * 3 / 2);
}

}  // namespace annex::test
