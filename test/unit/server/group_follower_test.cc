// When a command gives up waiting.
#include "server/group_follower.h"

#include <chrono>

#include <catch2/catch.hpp>

namespace annex::server {
namespace {

using std::chrono::seconds;

const ConditionState kNone;
const ConditionState kBlocked{true, false, "Blocked", "not adopted: a webhook looks at it"};
const ConditionState kReleased{true, false, "Released", "12 objects"};
const ConditionState kCopying{true, false, "Copying", "the objects are being copied"};

bool StandsStill(const ConditionState& state, const ConditionState& before, seconds unchanged) {
  return FindStandstill(state, before, unchanged).has_value();
}

}  // namespace

TEST_CASE("nobody who takes it up is noticed", "[server][hand over]") {
  CHECK_FALSE(StandsStill(kNone, kNone, seconds(10)));
  const auto standstill = FindStandstill(kNone, kNone, seconds(20));
  REQUIRE(standstill);
  CHECK(standstill->message.find("no Annex took it up") == 0);

  // What is left from an earlier time may be looked at again later.
  CHECK_FALSE(StandsStill(kReleased, kReleased, seconds(40)));
  CHECK(StandsStill(kReleased, kReleased, seconds(50)));
}

TEST_CASE("what is in the way is waited for only while it may be of the moment", "[server][hand over]") {
  CHECK_FALSE(StandsStill(kBlocked, kNone, seconds(4)));
  const auto standstill = FindStandstill(kBlocked, kNone, seconds(6));
  REQUIRE(standstill);
  CHECK(standstill->message == kBlocked.message);

  CHECK_FALSE(StandsStill(kBlocked, kBlocked, seconds(40)));
  CHECK(StandsStill(kBlocked, kBlocked, seconds(50)));
}

TEST_CASE("a step that is under way may take long", "[server][hand over]") {
  CHECK_FALSE(StandsStill(kCopying, kNone, seconds(3000)));
  CHECK_FALSE(StandsStill(kCopying, kCopying, seconds(3000)));
}

}  // namespace annex::server
