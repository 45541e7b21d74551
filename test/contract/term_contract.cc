// Queries: what an index answers must be what a look at every row would answer.
#include "store_contract.h"

#include <algorithm>
#include <string>
#include <vector>

namespace annex::test {
namespace {

using selector::KeyCondition;
using selector::Operator;
using selector::Query;
using store::Revision;
using Keys = std::vector<std::string>;

KeyCondition Name(const std::string& value, bool equal = true) {
  return {KeyCondition::Part::kName, equal, value};
}
KeyCondition Namespace(const std::string& value, bool equal = true) {
  return {KeyCondition::Part::kNamespace, equal, value};
}

Keys Select(StoreFixture& fixture, store::CollectionId c, const Query& query, const std::string& prefix = "",
            Revision at = 0) {
  return fixture.List({.collection = c, .prefix = prefix, .at = at, .query = &query, .terms_format = kFormat})
      .Keys();
}

// Rows that came unjudged have a '?'.
Keys SelectUnjudged(StoreFixture& fixture, store::CollectionId c, const Query& query, std::uint64_t format,
                    Revision at = 0) {
  Keys keys;
  for (const Shown& row :
       fixture.List({.collection = c, .at = at, .query = &query, .terms_format = format}).rows) {
    keys.push_back(row.key + (row.judged ? "" : "?"));
  }
  return keys;
}

// Objects of two namespaces with labels and a field.
store::CollectionId MakeObjects(StoreFixture& fixture) {
  const auto c = fixture.Collection();
  fixture.Create(c, "a/1", "", {{"Lapp", "web"}, {"Ltier", "front"}, {"Fsize", "1"}});
  fixture.Create(c, "a/2", "", {{"Lapp", "web"}, {"Ltier", "back"}, {"Fsize", "2"}});
  fixture.Create(c, "a/3", "", {{"Lapp", "db"}, {"Ltier", "back"}, {"Fsize", "30"}});
  fixture.Create(c, "b/1", "", {{"Lapp", "web"}, {"Ltier", ""}, {"Fsize", ""}});
  fixture.Create(c, "b/2", "", {{"Lapp2", "web"}, {"Fsize", "x"}});
  fixture.Create(c, "b/3", "", {});
  REQUIRE(fixture.SetTermsFormat(c, kFormat));
  return c;
}

}  // namespace

TEST_CASE("every operator selects what it says", "[contract][query]") {
  StoreFixture fixture;
  const auto c = MakeObjects(fixture);
  const auto select = [&](selector::TermCondition condition) {
    return Select(fixture, c, {{std::move(condition)}, {}});
  };
  CHECK(select(In("Lapp", {"web"})) == Keys{"a/1", "a/2", "b/1"});
  CHECK(select(In("Lapp", {"db", "web"})) == Keys{"a/1", "a/2", "a/3", "b/1"});
  CHECK(select(In("Lapp", {"db", "db", "web", "web"})) == Keys{"a/1", "a/2", "a/3", "b/1"});
  CHECK(select(In("Lapp", {"none"})).empty());
  CHECK(select(In("Lapp", {})).empty());
  CHECK(select(In("Lap", {"p=web"})).empty());
  CHECK(select(In("Ltier", {""})) == Keys{"b/1"});
  CHECK(select(NotIn("Lapp", {"web"})) == Keys{"a/3", "b/2", "b/3"});
  CHECK(select({"Ltier", Operator::kExists, {}}) == Keys{"a/1", "a/2", "a/3", "b/1"});
  CHECK(select({"Ltier", Operator::kNotExists, {}}) == Keys{"b/2", "b/3"});
  CHECK(select({"Fsize", Operator::kGreater, {"1"}}) == Keys{"a/2", "a/3"});
  CHECK(select({"Fsize", Operator::kLess, {"3"}}) == Keys{"a/1", "a/2"});
}

TEST_CASE("several conditions must all hold", "[contract][query]") {
  StoreFixture fixture;
  const auto c = MakeObjects(fixture);
  CHECK(Select(fixture, c, {{In("Lapp", {"web"}), In("Ltier", {"back"})}, {}}) == Keys{"a/2"});
  CHECK(Select(fixture, c, {{In("Lapp", {"web", "db"}), In("Ltier", {"back"}), NotIn("Fsize", {"2"})}, {}}) ==
        Keys{"a/3"});
  CHECK(Select(fixture, c, {{In("Lapp", {"web"}), In("Lapp", {"db"})}, {}}).empty());
  CHECK(Select(fixture, c, {{In("Fsize", {"1"}), {"Ltier", Operator::kExists, {}}}, {}}) == Keys{"a/1"});
}

TEST_CASE("conditions on the key select names and namespaces", "[contract][query]") {
  StoreFixture fixture;
  const auto c = MakeObjects(fixture);
  fixture.Create(c, "a-b/1");
  CHECK(Select(fixture, c, {{}, {Name("1")}}) == Keys{"a-b/1", "a/1", "b/1"});
  CHECK(Select(fixture, c, {{}, {Name("1")}}, "a/") == Keys{"a/1"});
  CHECK(Select(fixture, c, {{}, {Name("1", false)}}, "a/") == Keys{"a/2", "a/3"});
  CHECK(Select(fixture, c, {{}, {Namespace("a")}}) == Keys{"a/1", "a/2", "a/3"});
  CHECK(Select(fixture, c, {{}, {Namespace("a", false)}}) == Keys{"a-b/1", "b/1", "b/2", "b/3"});
  CHECK(Select(fixture, c, {{}, {Namespace("a"), Name("2")}}) == Keys{"a/2"});
  CHECK(Select(fixture, c, {{}, {Namespace("a"), Namespace("b")}}).empty());
  CHECK(Select(fixture, c, {{}, {Namespace("b")}}, "a/").empty());
  CHECK(Select(fixture, c, {{}, {Name("1"), Name("2")}}, "a/").empty());
  CHECK(Select(fixture, c, {{}, {Namespace("")}}).empty());
  CHECK(Select(fixture, c, {{In("Lapp", {"web"})}, {Name("1")}}) == Keys{"a/1", "b/1"});
  CHECK(Select(fixture, c, {{In("Lapp", {"web"})}, {}}, "b/") == Keys{"b/1"});
}

TEST_CASE("cluster-scoped objects have a name and no namespace", "[contract][query]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"one", "two"}) fixture.Create(c, key);
  CHECK(Select(fixture, c, {{}, {Name("one")}}) == Keys{"one"});
  CHECK(Select(fixture, c, {{}, {Namespace("one")}}).empty());
  CHECK(Select(fixture, c, {{}, {Namespace("")}}) == Keys{"one", "two"});
}

TEST_CASE("pages of a query go on where they stopped", "[contract][query]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  Keys expected;
  for (int i = 100; i < 160; ++i) {
    const std::string key = "ns/" + std::to_string(i);
    fixture.Create(c, key, "", {{"Lapp", i % 3 == 0 ? "web" : i % 3 == 1 ? "db" : "other"}});
    if (i % 3 != 2) expected.push_back(key);
  }
  for (const Query& query : {Query{{In("Lapp", {"db", "web"})}, {}}, Query{{NotIn("Lapp", {"other"})}, {}}}) {
    Keys keys;
    store::ListQuery list = {.collection = c, .query = &query, .terms_format = kFormat};
    while (true) {
      const Listed page = fixture.List(list, 7);
      for (const std::string& key : page.Keys()) keys.push_back(key);
      if (!page.page.more) break;
      CHECK(page.rows.size() == 7);
      list.at = page.page.at;
      list.start = keys.back() + '\0';
    }
    CHECK(keys == expected);
  }
}

TEST_CASE("a query follows changes of terms", "[contract][query]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const Query web{{In("Lapp", {"web"})}, {}};
  fixture.Create(c, "a", "", {{"Lapp", "web"}, {"Lzone", "1"}});
  fixture.Update(c, "a", "", {{"Lapp", "db"}, {"Lzone", "1"}});
  CHECK(Select(fixture, c, web).empty());
  fixture.Update(c, "a", "", {{"Lapp", "web"}});
  CHECK(Select(fixture, c, web) == Keys{"a"});
  CHECK(Select(fixture, c, {{In("Lzone", {"1"})}, {}}).empty());
  fixture.Delete(c, "a");
  CHECK(Select(fixture, c, web).empty());
  fixture.Create(c, "a", "", {});
  CHECK(Select(fixture, c, web).empty());
}

TEST_CASE("a query at an older revision selects by the terms of then", "[contract][query]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (const char* key : {"a", "b", "c", "d"}) fixture.Create(c, key, "", {{"Lapp", "web"}});
  fixture.Create(c, "e", "", {{"Lapp", "db"}});
  const Revision then = fixture.store().CurrentRevision();
  fixture.Update(c, "b", "", {{"Lapp", "db"}});
  fixture.Update(c, "e", "", {{"Lapp", "web"}});
  fixture.Delete(c, "c");
  fixture.Create(c, "f", "", {{"Lapp", "web"}});
  CHECK(Select(fixture, c, {{In("Lapp", {"web"})}, {}}, "", then) == Keys{"a", "b", "c", "d"});
  CHECK(Select(fixture, c, {{In("Lapp", {"web", "x"})}, {}}, "", then) == Keys{"a", "b", "c", "d"});
  CHECK(Select(fixture, c, {{NotIn("Lapp", {"web"})}, {}}, "", then) == Keys{"e"});
  CHECK(Select(fixture, c, {{In("Lapp", {"web"})}, {}}) == Keys{"a", "d", "e", "f"});
}

TEST_CASE("rows whose fields another form made come unjudged", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "new-1", "", {{"Fsize", "1"}, {"Lapp", "web"}}, 2);
  fixture.Create(c, "new-2", "", {{"Fsize", "2"}, {"Lapp", "web"}}, 2);
  fixture.Create(c, "old-db", "", {{"Lapp", "db"}}, 1);
  fixture.Create(c, "old-web", "", {{"Lapp", "web"}}, 1);
  const Query size{{In("Fsize", {"1"})}, {}};
  CHECK(SelectUnjudged(fixture, c, size, 2) == Keys{"new-1", "old-db?", "old-web?"});
  CHECK(SelectUnjudged(fixture, c, {{In("Fsize", {"1"}), In("Lapp", {"web"})}, {}}, 2) ==
        Keys{"new-1", "old-web?"});
  CHECK(SelectUnjudged(fixture, c, {{NotIn("Fsize", {"1"})}, {Name("old-db", false)}}, 2) ==
        Keys{"new-2", "old-web?"});
  // Labels are the same in every form.
  CHECK(SelectUnjudged(fixture, c, {{In("Lapp", {"db"})}, {}}, 2) == Keys{"old-db"});
  // A form that nobody wrote.
  CHECK(SelectUnjudged(fixture, c, size, 3) == Keys{"new-1?", "new-2?", "old-db?", "old-web?"});
  // No form at all.
  CHECK(SelectUnjudged(fixture, c, size, 0) == Keys{"new-1?", "new-2?", "old-db?", "old-web?"});
}

TEST_CASE("labels can follow the form too", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "new-db", "", {{"Lapp", "db"}}, 2);
  fixture.Create(c, "new-web", "", {{"Lapp", "web"}}, 2);
  fixture.Create(c, "old-db", "", {{"Lapp", "db"}}, 1);
  const Query web{{In("Lapp", {"web"})}, {}};
  const auto select = [&](std::uint64_t format) {
    Keys keys;
    const auto list =
        fixture.List({.collection = c, .query = &web, .terms_format = format, .labels_follow_format = true});
    for (const Shown& row : list.rows) keys.push_back(row.key + (row.judged ? "" : "?"));
    return keys;
  };
  CHECK(select(2) == Keys{"new-web", "old-db?"});
  // Once all rows' terms are known to be right, the index answers.
  REQUIRE(fixture.SetTermsFormat(c, 2));
  CHECK(select(2) == Keys{"new-web"});
  CHECK(select(3) == Keys{"new-db?", "new-web?", "old-db?"});
}

TEST_CASE("new terms are judged once the collection's format says so", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto a = fixture.Create(c, "a", "body", {}, 1);
  const auto b = fixture.Create(c, "b", "body", {}, 1);
  const Revision before = fixture.store().CurrentRevision();
  fixture.recorder().Take();
  REQUIRE(fixture.UpdateTerms(
      c, {{"a", a->revision, SetOf({{"Fsize", "1"}})}, {"b", b->revision, SetOf({{"Fsize", "2"}})}}));
  REQUIRE(fixture.SetTermsFormat(c, 2));
  CHECK(fixture.OpenCollection("widgets")->terms_format == 2);
  CHECK(SelectUnjudged(fixture, c, {{In("Fsize", {"1"})}, {}}, 2) == Keys{"a"});
  CHECK(SelectUnjudged(fixture, c, {{{"Fsize", Operator::kGreater, {"1"}}}, {}}, 2) == Keys{"b"});
  // Neither a revision nor an event came of it, and the object is as it was.
  CHECK(fixture.store().CurrentRevision() == before);
  CHECK(fixture.recorder().Take().empty());
  CHECK(fixture.Load(c, "a")->revision == a->revision);
  CHECK(fixture.Load(c, "a")->body.bytes == "body");
  fixture.Reopen();
  CHECK(fixture.OpenCollection("widgets")->terms_format == 2);
  CHECK(SelectUnjudged(fixture, c, {{In("Fsize", {"1"})}, {}}, 2) == Keys{"a"});
}

TEST_CASE("states of the past stay unjudged after the format changed", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto a = fixture.Create(c, "a", "", {}, 1);
  const auto b = fixture.Create(c, "b", "", {}, 1);
  const Revision then = fixture.store().CurrentRevision();
  fixture.Update(c, "b", "", {{"Fsize", "1"}}, 2);
  REQUIRE(fixture.UpdateTerms(c, {{"a", a->revision, SetOf({{"Fsize", "1"}})}}));
  REQUIRE(fixture.SetTermsFormat(c, 2));
  CHECK(SelectUnjudged(fixture, c, {{In("Fsize", {"1"})}, {}}, 2, then) == Keys{"a", "b?"});
}

TEST_CASE("terms that were updated are not taken for those of the form before", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto a = fixture.Create(c, "a", "", {{"Fold", "1"}}, 1);
  REQUIRE(fixture.UpdateTerms(c, {{"a", a->revision, SetOf({{"Fnew", "1"}})}}));
  REQUIRE(fixture.SetTermsFormat(c, 2));
  // The definition goes back to what it was: the row has to be judged again.
  CHECK(SelectUnjudged(fixture, c, {{In("Fold", {"1"})}, {}}, 1) == Keys{"a?"});
}

TEST_CASE("terms are updated only in the state that they were made from", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto a = fixture.Create(c, "a", "", {{"Lapp", "one"}});
  const auto b = fixture.Create(c, "b", "", {{"Lapp", "one"}});
  fixture.Update(c, "a", "", {{"Lapp", "two"}});
  fixture.Delete(c, "b");
  const selector::TermSet terms = SetOf({{"Lapp", "three"}});
  CHECK(fixture.UpdateTerms(
      c, {{"a", a->revision, terms}, {"b", b->revision, terms}, {"none", 5, terms}, {"none", 0, terms}}));
  CHECK(fixture.store().Healthy());
  CHECK(Select(fixture, c, {{In("Lapp", {"three"})}, {}}).empty());
  CHECK(Select(fixture, c, {{In("Lapp", {"two"})}, {}}) == Keys{"a"});
}

TEST_CASE("a writer that saw the terms before an update leaves a right index", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto seen = fixture.Create(c, "a", "", {{"Lapp", "one"}, {"Lzone", "1"}});
  REQUIRE(fixture.UpdateTerms(c, {{"a", seen->revision, SetOf({{"Lapp", "two"}})}}));
  // The writer's terms are those that it saw; an index that is brought from there to there lacks them.
  REQUIRE(fixture.Commit(Replacement(c, seen, "", {{"Lapp", "one"}, {"Lzone", "1"}})));
  CHECK(Select(fixture, c, {{In("Lapp", {"one"})}, {}}) == Keys{"a"});
  CHECK(Select(fixture, c, {{In("Lzone", {"1"})}, {}}) == Keys{"a"});
  CHECK(Select(fixture, c, {{In("Lapp", {"two"})}, {}}).empty());
  CHECK(Select(fixture, c, {{In("Lapp", {"one", "two"})}, {}}) == Keys{"a"});
}

TEST_CASE("updates of terms of a collection that does not exist are NotFound", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  const auto a = fixture.Create(c, "a");
  REQUIRE(fixture.DropCollection(c));
  CHECK(fixture.UpdateTerms(c, {{"a", a->revision, SetOf({{"Lx", "1"}})}}).error().reason ==
        base::Reason::kNotFound);
  CHECK(fixture.SetTermsFormat(c, 3).error().reason == base::Reason::kNotFound);
  CHECK(fixture.UpdateTerms(c + 1000, {}).error().reason == base::Reason::kNotFound);
  CHECK(fixture.store().Healthy());
}

TEST_CASE("terms of any bytes select and keep apart", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  std::vector<std::string> values = {"",     "=", "a=b", "a=b=c",  std::string("\0", 1),
                                     "\xff", "'", "\n",  "a,b(c)", std::string(70'000, 'v')};
  for (std::size_t i = 0; i < values.size(); ++i)
    fixture.Create(c, std::to_string(i), "", {{"Lx", values[i]}, {"Lx=", "z"}});
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(Select(fixture, c, {{In("Lx", {values[i]})}, {}}) == Keys{std::to_string(i)});
  }
}

TEST_CASE("an object may have many terms", "[contract][terms]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  Terms terms;
  for (int i = 0; i < 500; ++i) terms["L" + std::to_string(i)] = std::to_string(i * i);
  fixture.Create(c, "a", "", terms);
  terms["L77"] = "changed";
  terms.erase("L78");
  fixture.Update(c, "a", "", terms);
  CHECK(Select(fixture, c, {{In("L77", {"changed"}), In("L499", {"249001"})}, {}}) == Keys{"a"});
  CHECK(Select(fixture, c, {{In("L77", {"5929"})}, {}}).empty());
  CHECK(Select(fixture, c, {{In("L78", {"6084"})}, {}}).empty());
}

}  // namespace annex::test
