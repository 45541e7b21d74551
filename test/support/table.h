// ReadTable: the cases that upstream's code decided (test/unit/testdata/generate.go).
//
// Thread rule: free function.
#pragma once

#include <string>
#include <vector>

namespace annex::test {

// The lines of a file in test/unit/testdata, each split at its tabs, with \xHH turned back into bytes. A file
// that is missing ends the test.
std::vector<std::vector<std::string>> ReadTable(const std::string& name);

}  // namespace annex::test
