// A path and a document, with a NUL between them.
#include "annex/json/jsonpath.h"

#include "annex/json/read.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  const auto [path_text, document] = fuzz::Split(fuzz::Text(data, size));
  const auto path = json::JsonPath::Compile(path_text);
  const auto root = json::Parse(document);
  if (!path || !root) return 0;
  const auto found = path->Find(*root);
  if (!found) return 0;
  for (const json::Value* value : *found) static_cast<void>(json::PrintResult(*value));
  return 0;
}
