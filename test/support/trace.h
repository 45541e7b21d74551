// Trace: what a simulation did, step by step. Two runs of one seed must give equal traces; a digest is enough
// to tell.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace annex::test {

class Trace {
 public:
  // `print` gets every line; without it only the digest is kept.
  explicit Trace(std::function<void(std::string_view)> print = {}) : print_(std::move(print)) {}

  void Add(std::string_view line) {
    for (const char character : line) Mix(static_cast<unsigned char>(character));
    Mix('\n');
    ++lines_;
    if (print_) print_(line);
  }

  std::uint64_t digest() const { return digest_; }
  std::uint64_t lines() const { return lines_; }

 private:
  // FNV-1a.
  void Mix(unsigned char byte) { digest_ = (digest_ ^ byte) * 0x100000001B3ULL; }

  const std::function<void(std::string_view)> print_;
  std::uint64_t digest_ = 0xCBF29CE484222325ULL;
  std::uint64_t lines_ = 0;
};

}  // namespace annex::test
