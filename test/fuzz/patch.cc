// A document and a patch of either kind, with a NUL between them.
#include "annex/json/patch.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  const auto [document, patch_text] = fuzz::Split(fuzz::Text(data, size));
  const auto target = json::Parse(document);
  const auto patch = json::Parse(patch_text);
  if (!target || !patch) return 0;
  json::Value changed = *target;
  if (patch->is_object()) {
    json::ApplyMergePatch(changed, *patch);
    json::Value twice = changed;
    json::ApplyMergePatch(twice, *patch);
    ANNEX_CHECK(twice == changed, "a merge patch changes nothing the second time");
    return 0;
  }
  static_cast<void>(json::CheckJsonPatch(*patch));
  if (!json::ApplyJsonPatch(changed, *patch))
    ANNEX_CHECK(changed == *target, "a JSON patch is applied wholly or not at all");
  ANNEX_CHECK(json::Parse(json::ToJson(changed)).has_value(), "what a patch makes can be written");
  return 0;
}
