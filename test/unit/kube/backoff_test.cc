#include "annex/kube/backoff.h"

#include "support/seeded_random.h"

#include <catch2/catch.hpp>

namespace annex::kube {
namespace {

TEST_CASE("waits grow by the factor, with some chance, up to the longest", "[kube][backoff]") {
  test::SeededRandom random(1);
  Backoff backoff({std::chrono::milliseconds(100), 2.0, 0.5, std::chrono::milliseconds(1000)});
  std::chrono::milliseconds expected{100};
  for (int i = 0; i < 10; ++i) {
    const auto wait = backoff.Next(random);
    CHECK(wait >= expected);
    CHECK(wait <= expected * 3 / 2);
    expected = std::min(expected * 2, std::chrono::milliseconds(1000));
  }
  backoff.Reset();
  CHECK(backoff.Next(random) <= std::chrono::milliseconds(150));
}

}  // namespace
}  // namespace annex::kube
