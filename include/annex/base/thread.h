// Thread: a named thread with a stack of a stated size. Joined by its destructor.
//
// Why not std::thread: its stack is the process' default (8 MiB), and a document may nest json::kMaxDepth
// levels deep, which costs some kilobytes of stack per level where values are copied, pruned, validated and
// written. The stack is reserved address space; memory is used only as deep as it was ever needed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <pthread.h>

namespace annex::base {

inline constexpr std::size_t kThreadStackBytes = 128UL * 1024 * 1024;

class Thread {
 public:
  // Starts `body`. `name` (at most 15 bytes are kept) is what top and gdb show. A process that cannot start a
  // thread ends.
  Thread(const std::string& name, std::function<void()> body);
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  std::function<void()> body_;
  pthread_t handle_{};
};

}  // namespace annex::base
