// Keys of YAML mappings: YAML has keys of any type, JSON only strings.
//
// Thread rule: free functions.
#pragma once

#include "annex/json/value.h"
#include "yaml_scalar.h"

#include <string>
#include <string_view>

namespace annex::json {

struct YamlKey {
  std::string name;   // in JSON
  std::string shown;  // as Go's %#v shows it; of a string empty, see Shown()
  char type = 's';    // with `shown`: what makes two keys the same. 's' is a string.
  // Why JSON cannot have it, up to the place where the member's value is to be shown; mostly empty.
  std::string problem;

  std::string Shown() const;
  // Text that is equal for the same keys only.
  std::string Identity() const { return type + (type == 's' ? name : shown); }
};

YamlKey MakeYamlKey(const YamlScalar& scalar, std::string_view text);

// A value as Go's %#v shows what go-yaml made of it: `map[interface {}]interface {}{"a":1}`. Some 64 KiB at
// most. `keys_shown`: objects have as names what YamlKey::shown is.
std::string ShowGoValue(const Value& value, bool keys_shown);

// "NaN", "+Inf", "-Inf". REQUIRES: not finite.
std::string_view NonFiniteName(double number);

}  // namespace annex::json
