// WaitFor: runs an operation that calls back on another thread, and waits for it.
#pragma once

#include <future>
#include <utility>

namespace annex::server {

// `start(done)` begins it; done(T) ends it, on any thread but this one.
template <typename T, typename Start>
T WaitFor(Start start) {
  std::promise<T> promise;
  start([&promise](T value) { promise.set_value(std::move(value)); });
  return promise.get_future().get();
}

}  // namespace annex::server
