// Where the files of the tests are. Only its source knows the checkout's folder, so that a compiler cache
// serves every checkout.
//
// Thread rule: free functions.
#pragma once

#include <string>

namespace annex::test {

// The file or folder `path` under test/: "unit/testdata/names.tsv".
std::string TestFile(const std::string& path);

// The bytes of that file. A file that is missing ends the test.
std::string ReadTestFile(const std::string& path);

}  // namespace annex::test
