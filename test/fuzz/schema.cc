// A schema and an object, with a NUL between them: what any definition does to any object.
#include "annex/schema/schema.h"

#include "annex/json/read.h"
#include "annex/schema/typed.h"
#include "annex/schema/types.h"
#include "fuzz.h"
#include "schema/fits.h"

#include <string>
#include <vector>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  const auto [schema_text, object_text] = fuzz::Split(fuzz::Text(data, size));
  auto raw = json::Parse(schema_text);
  const auto object = json::Parse(object_text);
  if (!raw || !schema::ReadTyped(*raw, schema::JsonSchemaPropsType(), "")) return 0;
  const bool structural = schema::CheckStructural(*raw, {}).empty();
  const auto compiled = schema::Schema::Compile(*raw);
  ANNEX_CHECK(structural || !compiled, "what is not structural does not compile");
  if (!compiled || !object || !object->is_object()) return 0;
  json::Value read = *object;
  std::vector<std::string> unknown;
  if (!(*compiled)->Coerce(read, schema::MalformedFields::kRefuse, &unknown)) return 0;
  if (!(*compiled)->Default(read)) return 0;
  json::Value twice = read;
  ANNEX_CHECK((*compiled)->Coerce(twice, schema::MalformedFields::kRefuse, nullptr).has_value(),
              "what was read can be read again");
  ANNEX_CHECK((*compiled)->Default(twice) && twice == read, "reading changes nothing the second time");
  const json::FieldErrors errors = (*compiled)->Validate(read);
  ANNEX_CHECK(schema::Fits((*compiled)->root(), read) == errors.empty(), "Fits agrees with Validate");
  static_cast<void>((*compiled)->ValidateEmbedded(read));
  static_cast<void>((*compiled)->ValidateListTypes(read));
  ANNEX_CHECK((*compiled)->ValidateUpdate(read, read).size() <= errors.size(),
              "what was not changed is not worse than new");
  return 0;
}
