#include "auth/expiring_cache.h"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

namespace annex::auth {
namespace {

using std::chrono::seconds;
const ExpiringCache<int>::TimePoint kNow{};

TEST_CASE("a value is found until its time is over", "[auth][cache]") {
  ExpiringCache<int> cache(4);
  cache.Put("a", 1, kNow + seconds(10));
  CHECK(cache.Find("a", kNow + seconds(9)) == 1);
  CHECK_FALSE(cache.Find("a", kNow + seconds(10)));
  CHECK_FALSE(cache.Find("b", kNow));
}

TEST_CASE("a full cache forgets what was not used for the longest time", "[auth][cache]") {
  ExpiringCache<int> cache(2);
  cache.Put("a", 1, kNow + seconds(10));
  cache.Put("b", 2, kNow + seconds(10));
  REQUIRE(cache.Find("a", kNow));
  cache.Put("c", 3, kNow + seconds(10));
  CHECK(cache.Find("a", kNow) == 1);
  CHECK_FALSE(cache.Find("b", kNow));
  CHECK(cache.Find("c", kNow) == 3);
}

TEST_CASE("a newer value replaces the older one and its time", "[auth][cache]") {
  ExpiringCache<int> cache(2);
  cache.Put("a", 1, kNow + seconds(1));
  cache.Put("a", 2, kNow + seconds(10));
  CHECK(cache.Find("a", kNow + seconds(5)) == 2);
}

}  // namespace
}  // namespace annex::auth
