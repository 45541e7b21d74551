// What a store does when its disk fails.
#include "store_contract.h"

#include <string>
#include <vector>

namespace annex::test {
namespace {

using base::Reason;
using store::Revision;
using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("after an I/O error nothing is acknowledged and reads go on", "[contract][failure]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "a", "1");
  const Revision before = fixture.store().CurrentRevision();
  fixture.recorder().Take();
  if (!fixture.engine().BreakDisk(false)) return;
  CHECK(fixture.Commit(Creation(c, "b")).error().reason == Reason::kInternalError);
  fixture.engine().HealDisk();

  const auto healthy = fixture.store().Healthy();
  REQUIRE_FALSE(healthy);
  CHECK(healthy.error().reason == Reason::kInternalError);
  CHECK_FALSE(healthy.error().message.empty());
  CHECK(fixture.Commit(Creation(c, "c")).error().reason == Reason::kInternalError);
  CHECK(fixture.OpenCollection("other").error().reason == Reason::kInternalError);
  CHECK(fixture.DropCollection(c).error().reason == Reason::kInternalError);
  CHECK(fixture.UpdateTerms(c, {}).error().reason == Reason::kInternalError);
  CHECK(fixture.SetTermsFormat(c, 1).error().reason == Reason::kInternalError);
  CHECK(fixture.Compact().error().reason == Reason::kInternalError);

  CHECK(fixture.recorder().Take().empty());
  CHECK(fixture.store().CurrentRevision() == before);
  CHECK(fixture.List(c).Keys() == Keys{"a"});
  CHECK(fixture.List(c).page.at == before);
  CHECK(fixture.Load(c, "a")->body.bytes == "1");
  CHECK(fixture.ReadLog(c, before).empty());
  CHECK(fixture.Count(c) == 1);

  fixture.Reopen();
  CHECK(fixture.store().Healthy());
  CHECK(fixture.Load(c, "a")->body.bytes == "1");
  CHECK(fixture.Load(c, "c") == nullptr);
  CHECK(fixture.Create(c, "d")->revision > before);
}

TEST_CASE("all writes that wait when the disk fails are refused", "[contract][failure]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  if (!fixture.engine().BreakDisk(false)) return;
  int refused = 0;
  std::promise<void> all;
  fixture.engine().Pause();
  for (int i = 0; i < 10; ++i) {
    fixture.store().Commit(Creation(c, std::to_string(i)), [&](base::Result<store::Committed> result) {
      CHECK_FALSE(result);
      if (++refused == 10) all.set_value();
    });
  }
  fixture.engine().Resume();
  auto done = all.get_future();
  REQUIRE(fixture.engine().Wait(done));
  CHECK(fixture.List(c).rows.empty());
}

TEST_CASE("a full disk refuses writes until there is space", "[contract][failure]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  fixture.Create(c, "a");
  const Revision before = fixture.store().CurrentRevision();
  if (!fixture.engine().BreakDisk(true)) return;
  for (int i = 0; i < 3; ++i) {
    const auto refused = fixture.Commit(Creation(c, "b"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason == Reason::kInternalError);
    CHECK(refused.error().message.find("full") != std::string::npos);
  }
  CHECK(fixture.store().Healthy());
  CHECK(fixture.store().CurrentRevision() == before);
  CHECK(fixture.List(c).Keys() == Keys{"a"});
  fixture.engine().HealDisk();
  CHECK(fixture.Create(c, "b")->revision > before);
  CHECK(fixture.Count(c) == 2);
  fixture.Reopen();
  CHECK(fixture.List(c).Keys() == Keys{"a", "b"});
}

TEST_CASE("a full disk does not stop compaction for good", "[contract][failure]") {
  StoreFixture fixture;
  const auto c = fixture.Collection();
  for (int i = 0; i < 10; ++i) fixture.Create(c, std::to_string(i));
  for (int i = 0; i < 10; ++i) fixture.Delete(c, std::to_string(i));
  fixture.clock.Advance(std::chrono::seconds(700));
  const Revision before = fixture.store().CompactedRevision();
  if (!fixture.engine().BreakDisk(true)) return;
  CHECK_FALSE(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() == before);
  CHECK(fixture.store().Healthy());
  fixture.engine().HealDisk();
  CHECK(fixture.Compact());
  CHECK(fixture.store().CompactedRevision() > before);
}

}  // namespace annex::test
