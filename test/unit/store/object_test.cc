#include "annex/store/object.h"

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::store {

TEST_CASE("a body is written with its revision in its place", "[store][object]") {
  const auto written = [](std::string_view bytes, std::uint32_t at, Revision revision) {
    std::string out = "before ";
    AppendBody(out, bytes, at, revision);
    return out;
  };
  CHECK(written(R"({"resourceVersion":""})", 20, 42) == R"(before {"resourceVersion":"42"})");
  CHECK(written("", 0, 7) == "before 7");
  CHECK(written("ab", 0, 7) == "before 7ab");
  CHECK(written("ab", 2, std::numeric_limits<Revision>::max()) == "before ab9223372036854775807");
}

TEST_CASE("an event counts the bytes of both its states", "[store][object]") {
  const auto state = [](std::size_t bytes) {
    return std::make_shared<const Object>(Object{"ns/a", 1, {std::string(bytes, 'x'), 0}, {}, 0});
  };
  const Event both(2, 1, "ns/a", state(1000), state(500));
  const Event one(2, 1, "ns/a", state(1000), nullptr);
  CHECK(both.Size() >= 1500);
  CHECK(both.Size() - one.Size() >= 500);
  CHECK(both.Size() < 1500 + 1000);
}

TEST_CASE("a rendering is one for all threads that ask for it", "[store][object]") {
  const Event event(1, 1, "a", nullptr, nullptr);
  std::vector<std::shared_ptr<const std::string>> got(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back(
        [&event, &got, i] { got[i] = event.Rendering(i % 2, [i] { return std::to_string(i % 2); }); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(*got[i] == std::to_string(i % 2));
    CHECK(got[i] == got[i % 2]);
  }
}

}  // namespace annex::store
