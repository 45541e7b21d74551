#include "annex/source/folder_watch.h"

#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

namespace annex::source {
namespace {

using std::chrono::milliseconds;
using Outcome = FolderWatch::Outcome;

TEST_CASE("a written, renamed or removed file is a change, silence is none", "[source][watch]") {
  const test::TemporaryDirectory directory;
  auto watch = *FolderWatch::Open(directory.path());
  CHECK(watch->Wait(milliseconds(20)) == Outcome::kTimeout);
  std::ofstream(directory.path() + "/a") << "x";
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
  std::filesystem::rename(directory.path() + "/a", directory.path() + "/b");
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
  std::filesystem::remove(directory.path() + "/b");
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
  CHECK(watch->Wait(milliseconds(20)) == Outcome::kTimeout);
}

TEST_CASE("a mounted ConfigMap changes by a link that is replaced", "[source][watch]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path root = directory.path();
  std::filesystem::create_directory(root / "..1");
  std::filesystem::create_symlink("..1", root / "..data");
  auto watch = *FolderWatch::Open(directory.path());
  std::filesystem::create_directory(root / "..2");
  std::filesystem::create_symlink("..2", root / "..tmp");
  std::filesystem::rename(root / "..tmp", root / "..data");
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
}

TEST_CASE("a folder that comes later, or again, is watched", "[source][watch]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path() + "/later";
  auto watch = *FolderWatch::Open(path);
  CHECK(watch->Wait(milliseconds(20)) == Outcome::kTimeout);
  std::filesystem::create_directory(path);
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
  std::filesystem::remove(path);
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
  std::filesystem::create_directory(path);
  CHECK(watch->Wait(milliseconds(5000)) == Outcome::kChanged);
}

TEST_CASE("Stop ends a wait", "[source][watch]") {
  const test::TemporaryDirectory directory;
  auto watch = *FolderWatch::Open(directory.path());
  std::thread stopper([&watch] { watch->Stop(); });
  CHECK(watch->Wait(milliseconds(60'000)) == Outcome::kStopped);
  stopper.join();
  CHECK(watch->Wait(milliseconds(60'000)) == Outcome::kStopped);
}

}  // namespace
}  // namespace annex::source
