// What is read and written again reads the same.
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  json::ReadReport report;
  const auto value = json::Parse(fuzz::Text(data, size), &report);
  if (!value) {
    ANNEX_CHECK(!value.error().message.empty(), "a refusal says why");
    return 0;
  }
  const std::string written = json::ToJson(*value);
  const auto again = json::Parse(written);
  ANNEX_CHECK(again.has_value(), "what was written can be read");
  ANNEX_CHECK(json::ToJson(*again) == written, "writing is stable");
  ANNEX_CHECK(json::Parse(json::ToPrettyJson(*value)).has_value(), "indented text can be read");
  return 0;
}
