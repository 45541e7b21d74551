#include "annex/base/task.h"

#include "annex/base/serial_thread.h"

#include <future>
#include <string>

#include <catch2/catch.hpp>

namespace annex::base {
namespace {

Task<int> Add(int a, int b) {
  co_return a + b;
}

Task<int> Sum(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await Add(i, 1);
  co_return sum;
}

Task<std::string> Answer(Executor& executor, SerialThread& other) {
  const auto ask = [&other](std::function<void(std::string)> done) {
    other.Post([done = std::move(done)] { done("from another thread"); });
  };
  std::string text = co_await Await<std::string>(executor, ask);
  co_return text + ", resumed";
}

}  // namespace

TEST_CASE("a task runs when it is awaited and gives its value", "[base][task]") {
  int result = 0;
  TaskScope tasks;
  tasks.Spawn<int>(Sum(1000), [&](int value) { result = value; });
  CHECK(result == 500500);
}

TEST_CASE("a task that waits goes on as a task of its executor", "[base][task]") {
  SerialThread home("home");
  SerialThread other("other");
  std::promise<std::string> promise;
  TaskScope tasks;
  home.Post([&] {
    tasks.Spawn<std::string>(Answer(home, other),
                             [&](std::string text) { promise.set_value(std::move(text)); });
  });
  CHECK(promise.get_future().get() == "from another thread, resumed");
  home.Stop();  // the answer comes before the task's last steps, which need the scope
}

TEST_CASE("a scope destroys the tasks that have not ended", "[base][task]") {
  const auto held = std::make_shared<int>(1);
  {
    SerialThread never("never");
    TaskScope tasks;
    const auto wait = [](SerialThread& thread, std::shared_ptr<int> value) -> Task<void> {
      const auto forget = [](std::function<void(int)>) {};
      co_await Await<int>(thread, forget);
      *value = 2;
    };
    tasks.Spawn(wait(never, held));
    CHECK(held.use_count() == 2);
    never.Stop();
  }
  CHECK(held.use_count() == 1);
  CHECK(*held == 1);
}

TEST_CASE("timers run in the order of their time and can be cancelled", "[base][executor]") {
  SerialThread thread("timers");
  std::promise<std::string> promise;
  std::string order;
  std::vector<std::unique_ptr<Executor::Timer>> timers;
  // Set on the thread itself, so that none can be due before the last of them is set or cancelled.
  thread.Post([&] {
    timers.push_back(thread.After(std::chrono::milliseconds(100), [&] {
      order += "late";
      promise.set_value(order);
    }));
    timers.push_back(thread.After(std::chrono::milliseconds(1), [&] { order += "early "; }));
    thread.After(std::chrono::milliseconds(1), [&] { order += "cancelled "; }).reset();
  });
  CHECK(promise.get_future().get() == "early late");
  thread.Stop();
}

}  // namespace annex::base
