// Tables, sizes and progress, as commands write them.
#include "server/progress_lines.h"
#include "server/text_table.h"
#include "support/manual_clock.h"

#include <sstream>

#include <catch2/catch.hpp>

namespace annex::server {

TEST_CASE("a table's columns are as wide as what is in them", "[server][output]") {
  TextTable table({{"NAME"}, {"OBJECTS", TextTable::Align::kRight}, {"IN THE WAY"}});
  table.Add({"widgets.example.com", "12", ""});
  table.Add({"caché", "1234567890", "a webhook"});
  std::ostringstream out;
  table.Print(out);
  CHECK(out.str() ==
        "NAME                     OBJECTS   IN THE WAY\n"
        "widgets.example.com           12\n"
        "caché                 1234567890   a webhook\n");
}

TEST_CASE("bytes and counts are told in round numbers", "[server][output]") {
  CHECK(BytesText(0) == "0 B");
  CHECK(BytesText(1023) == "1023 B");
  CHECK(BytesText(1536) == "1.5 KiB");
  CHECK(BytesText(20 * 1024 * 1024) == "20 MiB");
  CHECK(BytesText(std::int64_t{3} << 50) == "3072 TiB");
  CHECK(CountText(1, "object") == "1 object");
  CHECK(CountText(0, "object") == "0 objects");
}

TEST_CASE("in a file, progress is a line for each thing that is said", "[server][output]") {
  test::ManualClock clock;
  std::ostringstream out;
  ProgressLines progress(out, ProgressLines::Medium::kFile, clock);
  progress.Tell("Copying", "10 of 20");
  clock.Advance(std::chrono::milliseconds(1500));
  progress.Tell("Copying", "20 of 20");
  progress.Close();
  CHECK(out.str() == "    0.0 s  Copying: 10 of 20\n    1.5 s  Copying: 20 of 20\n");
}

TEST_CASE("on a terminal, a step's progress stays on its line", "[server][output]") {
  test::ManualClock clock;
  std::ostringstream out;
  ProgressLines progress(out, ProgressLines::Medium::kTerminal, clock);
  progress.Tell("Copying", "10 of 20");
  progress.Tell("Copying", "20 of 20");
  progress.Tell("Verifying", "all");
  progress.Close();
  progress.Close();
  CHECK(out.str() ==
        "    0.0 s  Copying: 10 of 20\r\x1b[K    0.0 s  Copying: 20 of 20\n    0.0 s  Verifying: all\n");
}

}  // namespace annex::server
