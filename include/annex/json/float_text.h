// Floating-point numbers as Go's strconv prints them, from the shortest digits that read back as the same
// number.
//
// Thread rule: free functions. REQUIRES: finite numbers.
#pragma once

#include <string>

namespace annex::json {

// Format 'g': "0.5", "100000", "1e+06". YAML and the cells of tables show numbers so.
void AppendFloat(std::string& out, double number);
// The same for the digits that tell apart 32-bit numbers: keys of YAML maps.
void AppendFloat32(std::string& out, float number);

// Format 'f': "1000000". Digits beyond the shortest ones are zeros, also where the exact value has others.
void AppendFloatDigits(std::string& out, double number);

}  // namespace annex::json
