// A few thousand random operations, each answer held against a model. A failure prints the seed; ANNEX_SEED
// runs that one alone.
#include "store_contract.h"
#include "support/seeded_random.h"
#include "support/store_model.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace annex::test {
namespace {

using selector::KeyCondition;
using selector::Operator;
using selector::Query;
using store::Revision;

// Few keys, namespaces and values, so that everything meets everything.
class Walk {
 public:
  explicit Walk(std::uint64_t seed)
      : random_(seed),
        fixture_({.history_age = std::chrono::seconds(30), .history_bytes = 20'000}, {4000, 7, 1500}) {
    for (const char* name : {"one", "two"}) collections_.push_back(fixture_.Collection(name));
    for (const auto c : collections_) REQUIRE(fixture_.SetTermsFormat(c, kFormat));
  }

  void Run(int operations) {
    for (int i = 0; i < operations; ++i) {
      INFO("operation " << i);
      Operate();
    }
    for (const auto c : collections_) CheckEverything(c);
  }

 private:
  void Operate() {
    switch (random_.Below(20)) {
      case 0:
        CheckQuery(AnyCollection(), AnyRevision());
        break;
      case 1:
      case 2:
        CheckList(AnyCollection(), AnyRevision());
        break;
      case 3:
        CheckPages(AnyCollection(), AnyRevision());
        break;
      case 4:
        CheckLog(AnyCollection(), AnyRevision());
        break;
      case 5:
        CheckWatch(AnyCollection(), AnyRevision());
        break;
      case 6:
        CheckObject(AnyCollection(), AnyKey());
        break;
      case 7:
        fixture_.clock.Advance(std::chrono::milliseconds(random_.Below(5000)));
        break;
      case 8:
        if (random_.OneIn(5)) REQUIRE(fixture_.Compact());
        break;
      case 9:
        if (random_.OneIn(40)) fixture_.Reopen();
        break;
      case 10:
        if (random_.OneIn(60)) DropAndRecreate();
        break;
      case 11:
        UpdateTerms(AnyCollection());
        break;
      default:
        Write(AnyCollection(), AnyKey());
        break;
    }
  }

  store::CollectionId AnyCollection() { return collections_[random_.Below(collections_.size())]; }
  std::string AnyNamespace() {
    static const std::vector<std::string> kNamespaces = {"a", "a-b", "a0", "b"};
    return kNamespaces[random_.Below(kNamespaces.size())];
  }
  std::string AnyKey() { return AnyNamespace() + "/" + std::to_string(random_.Below(8)); }
  // Now and then one that is compacted or the newest.
  Revision AnyRevision() {
    const Revision compacted = fixture_.store().CompactedRevision();
    const Revision newest = fixture_.store().CurrentRevision();
    switch (random_.Below(8)) {
      case 0:
        return compacted;
      case 1:
        return newest;
      case 2:
        return std::max<Revision>(1, compacted - static_cast<Revision>(random_.Between(1, 5)));
      default:
        return static_cast<Revision>(
            random_.Between(static_cast<std::uint64_t>(compacted), static_cast<std::uint64_t>(newest)));
    }
  }
  bool Expired(Revision at) { return at < fixture_.store().CompactedRevision(); }

  Terms AnyTerms() {
    Terms terms;
    for (const char* name : {"La", "Lb", "Fc"}) {
      if (!random_.OneIn(3)) terms[name] = std::to_string(random_.Below(4));
    }
    return terms;
  }
  Query AnyQuery() {
    Query query;
    for (std::uint64_t i = random_.Below(3); i > 0; --i) {
      static const std::vector<std::string> kNames = {"La", "Lb", "Fc", "Lmissing"};
      const auto op = static_cast<Operator>(random_.Below(6));
      std::vector<std::string> values;
      const bool one = op == Operator::kGreater || op == Operator::kLess;
      if (op != Operator::kExists && op != Operator::kNotExists) {
        for (std::uint64_t count = one ? 1 : random_.Between(1, 3); count > 0; --count)
          values.push_back(std::to_string(random_.Below(4)));
      }
      query.terms.push_back({kNames[random_.Below(kNames.size())], op, values});
    }
    if (random_.OneIn(3)) {
      const bool name = random_.OneIn(2);
      query.keys.push_back({name ? KeyCondition::Part::kName : KeyCondition::Part::kNamespace,
                            !random_.OneIn(3), name ? std::to_string(random_.Below(8)) : AnyNamespace()});
    }
    return query;
  }

  void Write(store::CollectionId c, const std::string& key) {
    const auto& objects = model_.Newest(c);
    const auto known = objects.find(key);
    const auto seen = fixture_.Load(c, key);
    REQUIRE((seen != nullptr) == (known != objects.end()));
    if (random_.OneIn(10)) {
      WriteInConflict(c, key, seen);
    } else if (seen && random_.OneIn(3)) {
      model_.Apply(c, key, fixture_.Delete(c, key), false);
    } else {
      const std::string body = std::to_string(random_.Next()) + std::string(random_.Below(200), 'x');
      const Terms terms = AnyTerms();
      const auto made = seen ? fixture_.Update(c, key, body, terms) : fixture_.Create(c, key, body, terms);
      model_.Apply(c, key, made->revision, true, body, terms);
    }
    REQUIRE(fixture_.store().CurrentRevision() ==
            std::max(model_.newest(), fixture_.store().CurrentRevision()));
  }

  void WriteInConflict(store::CollectionId c, const std::string& key, const store::ObjectPtr& seen) {
    store::ObjectPtr wrong;
    if (!seen) {
      wrong = std::make_shared<const store::Object>(store::Object{key, 1, {"x", 0}, {}, 0});
    } else if (random_.OneIn(2)) {
      auto other = *seen;
      --other.revision;
      wrong = std::make_shared<const store::Object>(other);
    }
    const auto refused = fixture_.Commit(wrong && random_.OneIn(2) ? Deletion(c, wrong)
                                         : wrong                   ? Replacement(c, wrong)
                                                                   : Creation(c, key));
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().reason == base::Reason::kConflict);
  }

  // New terms that are the old ones: whatever is updated must stay right.
  void UpdateTerms(store::CollectionId c) {
    std::vector<store::TermUpdate> updates;
    for (const auto& [key, state] : model_.Newest(c)) {
      if (random_.OneIn(4))
        updates.push_back({key, state->revision - (random_.OneIn(3) ? 1 : 0), SetOf(state->terms), kFormat});
    }
    REQUIRE(fixture_.UpdateTerms(c, std::move(updates)));
  }

  void DropAndRecreate() {
    const std::size_t which = random_.Below(collections_.size());
    REQUIRE(fixture_.DropCollection(collections_[which]));
    model_.Drop(collections_[which]);
    collections_[which] = fixture_.Collection(which == 0 ? "one" : "two");
    REQUIRE(fixture_.SetTermsFormat(collections_[which], kFormat));
  }

  static std::string Text(const std::string& key, const StoreModel::State& state) {
    return key + "@" + std::to_string(state.revision) + "=" + state.body + SetOf(state.terms).encoded();
  }
  static std::vector<std::string> Texts(const Listed& listed) {
    std::vector<std::string> texts;
    for (const Shown& row : listed.rows) {
      CHECK(row.judged);
      texts.push_back(row.key + "@" + std::to_string(row.revision) + "=" + row.body + row.terms);
    }
    return texts;
  }
  std::vector<std::string> Wanted(const store::ListQuery& list) {
    std::vector<std::string> texts;
    for (const auto& [key, state] : model_.At(list.collection, list.at)) {
      const bool in_range = key.starts_with(list.prefix) && key >= list.start;
      if (in_range && (list.query == nullptr || ModelMatches(*list.query, key, state->terms)))
        texts.push_back(Text(key, *state));
    }
    return texts;
  }
  store::ListQuery AnyRange(store::CollectionId c, Revision at) {
    store::ListQuery list = {.collection = c, .at = at, .terms_format = kFormat};
    if (random_.OneIn(2)) list.prefix = AnyNamespace() + "/";
    if (random_.OneIn(2)) list.start = AnyKey();
    return list;
  }

  void CheckList(store::CollectionId c, Revision at) {
    const store::ListQuery list = AnyRange(c, at);
    if (Expired(at)) {
      CHECK(fixture_.ListError(list).reason == base::Reason::kExpired);
      return;
    }
    REQUIRE(Texts(fixture_.List(list)) == Wanted(list));
  }

  void CheckQuery(store::CollectionId c, Revision at) {
    if (Expired(at)) return;
    const Query query = AnyQuery();
    store::ListQuery list = AnyRange(c, at);
    list.query = &query;
    REQUIRE(Texts(fixture_.List(list)) == Wanted(list));
  }

  void CheckPages(store::CollectionId c, Revision at) {
    if (Expired(at)) return;
    store::ListQuery list = AnyRange(c, at);
    if (random_.OneIn(2)) list.start.clear();
    list.count_remaining = true;
    const std::vector<std::string> wanted = Wanted(list);
    std::vector<std::string> shown;
    const auto pin = fixture_.store().Pin(at);
    for (bool more = true; more;) {
      const Listed page = fixture_.List(list, random_.Between(1, 6));
      for (const std::string& text : Texts(page)) shown.push_back(text);
      more = page.page.more;
      REQUIRE(page.page.remaining.has_value() == more);
      if (!more) break;
      REQUIRE(static_cast<std::size_t>(*page.page.remaining) == wanted.size() - shown.size());
      list.start = page.rows.back().key + '\0';
      if (random_.OneIn(2)) Write(c, AnyKey());
    }
    REQUIRE(shown == wanted);
  }

  static std::string Text(const StoreModel::Change& change) {
    return (change.before ? Text(change.key, *change.before) : "nothing") + " -> " +
           (change.after ? Text(change.key, *change.after) : change.key + " nothing") + " @" +
           std::to_string(change.revision);
  }
  static std::string Text(const store::ObjectPtr& object, const std::string& nothing) {
    if (!object) return nothing;
    return object->key + "@" + std::to_string(object->revision) + "=" + object->body.bytes +
           object->terms.encoded();
  }
  static std::string Text(const store::Event& event) {
    return Text(event.previous(), "nothing") + " -> " + Text(event.object(), event.key() + " nothing") +
           " @" + std::to_string(event.revision());
  }
  std::vector<std::string> WantedChanges(store::CollectionId c, Revision after, const std::string& prefix) {
    std::vector<std::string> texts;
    for (const auto& change : model_.After(c, after)) {
      if (change.key.starts_with(prefix)) texts.push_back(Text(change));
    }
    return texts;
  }

  void CheckLog(store::CollectionId c, Revision after) {
    const std::string prefix = random_.OneIn(2) ? AnyNamespace() + "/" : "";
    const std::vector<std::string> wanted = WantedChanges(c, after, prefix);
    std::vector<std::string> shown;
    while (true) {
      const auto batch =
          fixture_.store().ReadLog({c, prefix, after, random_.Between(1, 50), random_.Between(1, 5000)});
      if (!batch) {
        CHECK(batch.error().reason == base::Reason::kExpired);
        CHECK(Expired(after));
        return;
      }
      for (const auto& event : batch->events) shown.push_back(Text(*event));
      if (batch->upto == fixture_.store().CurrentRevision()) break;
      REQUIRE(batch->upto > after);
      after = batch->upto;
    }
    REQUIRE(shown == wanted);
  }

  void CheckWatch(store::CollectionId c, Revision after) {
    const std::string prefix = random_.OneIn(2) ? AnyNamespace() + "/" : "";
    const std::vector<std::string> wanted = WantedChanges(c, after, prefix);
    std::vector<std::string> shown;
    const auto watcher = fixture_.hub().Watch(c, prefix, after, fixture_.executor(), [] {});
    while (true) {
      const auto batch = watcher->Next();
      if (!batch) {
        CHECK(Expired(after));
        return;
      }
      for (const auto& event : batch->events) shown.push_back(Text(*event));
      if (batch->idle) break;
    }
    REQUIRE(shown == wanted);
  }

  void CheckObject(store::CollectionId c, const std::string& key) {
    const auto& objects = model_.Newest(c);
    const auto known = objects.find(key);
    REQUIRE(Text(fixture_.Load(c, key), "") == (known == objects.end() ? "" : Text(key, *known->second)));
    REQUIRE(fixture_.Count(c) == static_cast<std::int64_t>(objects.size()));
  }

  void CheckEverything(store::CollectionId c) {
    const Revision oldest = fixture_.store().CompactedRevision();
    for (Revision at = oldest; at <= fixture_.store().CurrentRevision(); ++at) {
      const store::ListQuery list = {.collection = c, .at = at};
      REQUIRE(Texts(fixture_.List(list)) == Wanted(list));
    }
    CheckLog(c, oldest);
    CheckWatch(c, oldest);
  }

  SeededRandom random_;
  StoreFixture fixture_;
  StoreModel model_;
  std::vector<store::CollectionId> collections_;
};

}  // namespace

TEST_CASE("random operations agree with a model", "[contract][model]") {
  const char* one = std::getenv("ANNEX_SEED");
  const std::uint64_t first = one == nullptr ? 1 : std::strtoull(one, nullptr, 10);
  for (std::uint64_t seed = first; seed < (one == nullptr ? first + 8 : first + 1); ++seed) {
    INFO("ANNEX_SEED=" << seed);
    Walk(seed).Run(1500);
  }
}

}  // namespace annex::test
