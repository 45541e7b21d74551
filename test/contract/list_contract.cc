// Lists: order, ranges, pages, counts of what remains, and states of the past.
#include "annex/base/status.h"
#include "store_contract.h"

#include <string>
#include <vector>

namespace annex::test {
namespace {

using base::Reason;
using store::Revision;
using Keys = std::vector<std::string>;

// "key=body" of each row.
Keys States(const Listed& listed) {
  Keys states;
  for (const Shown& row : listed.rows) states.push_back(row.key + "=" + row.body);
  return states;
}

// Pages through a list as a client with continue tokens does: the first page at the newest revision, the
// others at that one.
struct Pager {
  StoreFixture& fixture;
  store::ListQuery query;

  Listed Next(std::size_t limit) {
    query.count_remaining = true;
    Listed page = fixture.List(query, limit);
    query.at = page.page.at;
    if (!page.rows.empty()) query.start = page.rows.back().key + '\0';
    return page;
  }
};

void CreateMany(StoreFixture& fixture, store::CollectionId c, const std::string& ns, int count) {
  for (int i = 0; i < count; ++i) fixture.Create(c, ns + "/" + std::to_string(10 + i));
}

}  // namespace

TEST_CASE("a list is in bytewise order of the whole key", "[contract][list]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"b", "a/x", "a.b/x", "a-b/x", "ab/x", "a/X", "a"}) fixture.Create(c, key);
  CHECK(fixture.List(c).Keys() == Keys{"a", "a-b/x", "a.b/x", "a/X", "a/x", "ab/x", "b"});
}

TEST_CASE("a prefix selects one namespace and not its neighbours", "[contract][list]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"a/x", "a/y", "a-b/x", "ab/x", "a0/x", "a", "b/x"}) fixture.Create(c, key);
  CHECK(fixture.List({.collection = c, .prefix = "a/"}).Keys() == Keys{"a/x", "a/y"});
  CHECK(fixture.List({.collection = c, .prefix = "z/"}).Keys().empty());
  CHECK(fixture.List({.collection = c, .prefix = "a"}).Keys() ==
        Keys{"a", "a-b/x", "a/x", "a/y", "a0/x", "ab/x"});
}

TEST_CASE("a prefix may end with any byte", "[contract][list]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"a", "a\x7f", "a\x7fx", "a\x80", "a\xff", "a\xffx", "b", "\xff", "\xff\xff"})
    fixture.Create(c, key);
  CHECK(fixture.List({.collection = c, .prefix = "a\x7f"}).Keys() == Keys{"a\x7f", "a\x7fx"});
  CHECK(fixture.List({.collection = c, .prefix = "a\xff"}).Keys() == Keys{"a\xff", "a\xffx"});
  CHECK(fixture.List({.collection = c, .prefix = "\xff"}).Keys() == Keys{"\xff", "\xff\xff"});
}

TEST_CASE("a list begins at its start key", "[contract][list]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"a/x", "a/y", "b/x", "b/y"}) fixture.Create(c, key);
  CHECK(fixture.List({.collection = c, .start = "a/y"}).Keys() == Keys{"a/y", "b/x", "b/y"});
  CHECK(fixture.List({.collection = c, .start = std::string("a/y\0", 4)}).Keys() == Keys{"b/x", "b/y"});
  CHECK(fixture.List({.collection = c, .prefix = "b/", .start = "a/y"}).Keys() == Keys{"b/x", "b/y"});
  CHECK(fixture.List({.collection = c, .prefix = "a/", .start = "b/x"}).Keys().empty());
  CHECK(fixture.List({.collection = c, .start = "c"}).Keys().empty());
}

TEST_CASE("a row shows the object's state", "[contract][list]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  store::Mutation mutation = Creation(c, "ns/a", "body", {{"Lapp", "web"}}, 42);
  mutation.next->body.revision_at = 2;
  const Revision revision = fixture.Commit(std::move(mutation))->revision;
  const Listed listed = fixture.List(c);
  REQUIRE(listed.rows.size() == 1);
  CHECK(listed.rows[0].revision == revision);
  CHECK(listed.rows[0].body == "body");
  CHECK(listed.rows[0].revision_at == 2);
  CHECK(listed.rows[0].terms == SetOf({{"Lapp", "web"}}).encoded());
  CHECK(listed.rows[0].format == 42);
  CHECK(listed.rows[0].judged);
}

TEST_CASE("a visitor that stops leaves its row for the next page", "[contract][page]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  CreateMany(fixture, c, "ns", 3);
  CHECK(fixture.List({.collection = c}, 2).page.more);
  CHECK(fixture.List({.collection = c}, 2).Keys() == Keys{"ns/10", "ns/11"});
  // The third row ends the list by itself: nothing follows.
  CHECK_FALSE(fixture.List({.collection = c}, 3).page.more);
  CHECK_FALSE(fixture.List({.collection = c, .count_remaining = true}, 3).page.remaining);
  CHECK_FALSE(fixture.List({.collection = c}, 2).page.remaining);
  const Listed none = fixture.List({.collection = c, .count_remaining = true}, 0);
  CHECK(none.page.more);
  CHECK(none.page.remaining == 3);
}

TEST_CASE("pages tell how many objects remain", "[contract][page]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  CreateMany(fixture, c, "a", 10);
  CreateMany(fixture, c, "b", 7);
  CreateMany(fixture, c, "a-b", 3);

  Pager all{fixture, {.collection = c}};
  CHECK(all.Next(4).page.remaining == 16);
  CHECK(all.Next(4).page.remaining == 12);
  CHECK(all.Next(11).page.remaining == 1);
  const Listed last = all.Next(11);
  CHECK(last.Keys() == Keys{"b/16"});
  CHECK_FALSE(last.page.more);

  Pager one{fixture, {.collection = c, .prefix = "a/"}};
  CHECK(one.Next(4).page.remaining == 6);
  CHECK(one.Next(4).page.remaining == 2);
  CHECK(one.Next(4).Keys() == Keys{"a/18", "a/19"});

  Pager part{fixture, {.collection = c, .prefix = "b/1"}};
  CHECK(part.Next(2).page.remaining == 5);
  CHECK(part.Next(2).page.remaining == 3);
}

TEST_CASE("pages of one list show one revision and count it, whatever happens in between",
          "[contract][page]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  CreateMany(fixture, c, "ns", 10);
  Pager pager{fixture, {.collection = c}};
  CHECK(pager.Next(2).page.remaining == 8);

  fixture.Delete(c, "ns/10");
  fixture.Delete(c, "ns/15");
  fixture.Create(c, "ns/10");
  fixture.Create(c, "ns/125");
  fixture.Create(c, "ns/99");
  fixture.Update(c, "ns/13", "new");
  CHECK(pager.Next(3).page.remaining == 5);

  fixture.Delete(c, "ns/19");
  fixture.Create(c, "ns/15");
  const Listed third = pager.Next(2);
  CHECK(third.Keys() == Keys{"ns/15", "ns/16"});
  CHECK(third.page.remaining == 3);
  const Listed last = pager.Next(9);
  CHECK(last.Keys() == Keys{"ns/17", "ns/18", "ns/19"});
  CHECK_FALSE(last.page.more);
}

TEST_CASE("what remains is counted without a page before", "[contract][page]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  CreateMany(fixture, c, "a", 6);
  CreateMany(fixture, c, "b", 2);
  const Revision before = fixture.store().CurrentRevision();
  fixture.Delete(c, "a/14");
  fixture.Create(c, "a/141");
  fixture.Create(c, "a/142");
  CHECK(fixture.List({.collection = c, .start = "a/13", .count_remaining = true}, 1).page.remaining == 5);
  CHECK(fixture.List({.collection = c, .start = "a/13", .at = before, .count_remaining = true}, 1)
            .page.remaining == 4);
  CHECK(
      fixture
          .List({.collection = c, .prefix = "a/", .start = "a/13", .at = before, .count_remaining = true}, 1)
          .page.remaining == 2);
  CHECK(fixture.List({.collection = c, .prefix = "a/", .at = before, .count_remaining = true}, 1)
            .page.remaining == 5);
  CHECK(fixture.List({.collection = c, .prefix = "a/", .count_remaining = true}, 1).page.remaining == 6);
}

TEST_CASE("a count of what remains from one key does not answer for another", "[contract][page]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  CreateMany(fixture, c, "ns", 5);
  // Stopped before its first row, a page has shown no key that the next could begin after.
  CHECK(fixture.List({.collection = c, .start = "ns/13", .count_remaining = true}, 0).page.remaining == 2);
  CHECK(fixture.List({.collection = c, .start = std::string(1, '\0'), .count_remaining = true}, 1)
            .page.remaining == 4);
}

TEST_CASE("a list at an older revision shows each object as it was", "[contract][history]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) fixture.Create(c, key, "old");
  fixture.Update(c, "e", "older and updated");
  const Revision then = fixture.store().CurrentRevision();
  const Keys before = States(fixture.List(c));

  fixture.Update(c, "a", "new");
  fixture.Delete(c, "b");
  fixture.Delete(c, "c");
  fixture.Create(c, "c", "again");
  fixture.Create(c, "cc", "created");
  fixture.Create(c, "dd", "gone");
  fixture.Delete(c, "dd");
  fixture.Update(c, "e", "new");
  fixture.Delete(c, "e");
  fixture.Create(c, "e", "again");
  fixture.Delete(c, "e");
  fixture.Create(c, "0", "first of all");
  fixture.Create(c, "z", "last of all");
  CHECK(States(fixture.List({.collection = c, .at = then})) == before);
  CHECK(fixture.List({.collection = c, .at = then}).page.at == then);
  CHECK(fixture.List({.collection = c, .start = "b", .at = then}, 2).Keys() == Keys{"b", "c"});
  CHECK(fixture.List({.collection = c, .prefix = "c", .at = then}).Keys() == Keys{"c"});
  CHECK(States(fixture.List(c)) ==
        Keys{"0=first of all", "a=new", "c=again", "cc=created", "d=old", "f=old", "z=last of all"});
  fixture.Reopen();
  CHECK(States(fixture.List({.collection = c, .at = then})) == before);
}

TEST_CASE("an older revision is the same for a collection that had no change then", "[contract][history]") {
  StoreFixture fixture;
  const auto quiet = fixture.Collection("quiet");
  const auto busy = fixture.Collection("busy");
  fixture.Create(quiet, "a");
  for (int i = 0; i < 5; ++i) {
    const Revision at = fixture.Create(busy, std::to_string(i))->revision;
    CHECK(fixture.List({.collection = quiet, .at = at}).page.at == at);
    CHECK(fixture.List({.collection = quiet, .at = at}).Keys() == Keys{"a"});
  }
}

TEST_CASE("a revision that does not exist yet cannot be listed", "[contract][history]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "a");
  const Revision current = fixture.store().CurrentRevision();
  CHECK(fixture.List({.collection = c, .at = current}).Keys() == Keys{"a"});
  CHECK(fixture.ListError({.collection = c, .at = current + 1}).reason == Reason::kTimeout);
}

TEST_CASE("a list shows one revision while others write", "[contract][snapshot]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  CreateMany(fixture, c, "ns", 20);
  const Revision before = fixture.store().CurrentRevision();
  Keys seen;
  const auto page = fixture.store().List({.collection = c}, [&](const store::Row& row) {
    seen.emplace_back(row.key);
    if (seen.size() % 5 == 1) {
      fixture.Create(c, "ns/" + std::to_string(10 + seen.size()) + "-new");
      fixture.Delete(c, "ns/" + std::to_string(29 - seen.size()));
    }
    return store::Visit::kNext;
  });
  REQUIRE(page);
  CHECK(page->at == before);
  CHECK(seen.size() == 20);
  CHECK(fixture.List(c).page.at == before + 8);
}

TEST_CASE("counts follow creations and deletions", "[contract][count]") {
  StoreFixture fixture;
  const auto a = fixture.Collection("a");
  const auto b = fixture.Collection("b");
  CreateMany(fixture, a, "x", 5);
  CreateMany(fixture, a, "y", 2);
  fixture.Create(b, "cluster-scoped");
  fixture.Update(a, "x/10", "new");
  fixture.Delete(a, "x/11");
  CHECK(fixture.Count(a) == 6);
  CHECK(fixture.Count(b) == 1);
  fixture.Reopen();
  CHECK(fixture.Count(a) == 6);
  CHECK(fixture.Count(b) == 1);
  CHECK(fixture.List({.collection = a, .prefix = "x/", .count_remaining = true}, 0).page.remaining == 4);
}

}  // namespace annex::test
