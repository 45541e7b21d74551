#include "progress_lines.h"

#include <array>
#include <cstdio>

namespace annex::server {
namespace {

constexpr const char* kBackAndErase = "\r\x1b[K";

}  // namespace

void ProgressLines::Tell(const std::string& step, const std::string& message) {
  const std::chrono::duration<double> since = clock_.Monotonic() - begin_;
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%7.1f s  ", since.count());
  if (!step_.empty()) out_ << (step == step_ ? kBackAndErase : "\n");
  out_ << time.data() << step << ": " << message;
  if (medium_ == Medium::kTerminal) {
    step_ = step;
  } else {
    out_ << '\n';
  }
  out_.flush();
}

void ProgressLines::Close() {
  if (!step_.empty()) out_ << '\n';
  step_.clear();
  out_.flush();
}

}  // namespace annex::server
