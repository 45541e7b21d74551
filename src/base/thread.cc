#include "annex/base/thread.h"

#include "annex/base/check.h"

#include <utility>

namespace annex::base {

Thread::Thread(const std::string& name, std::function<void()> body) : body_(std::move(body)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  const auto run = [](void* self) -> void* {
    static_cast<Thread*>(self)->body_();
    return nullptr;
  };
  const int error = pthread_create(&handle_, &attributes, run, this);
  pthread_attr_destroy(&attributes);
  ANNEX_CHECK(error == 0, "the system must be able to start a thread");
  pthread_setname_np(handle_, name.substr(0, 15).c_str());
}

Thread::~Thread() {
  pthread_join(handle_, nullptr);
}

}  // namespace annex::base
