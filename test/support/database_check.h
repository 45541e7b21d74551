// CheckDatabase: whether the tables of an annex.db agree with each other and with themselves.
//
// Thread rule: free function. REQUIRES: no store is open on the file, or none that writes meanwhile.
#pragma once

#include <string>

namespace annex::test {

// The first thing that is wrong; "" if nothing is. Checked: SQLite's own integrity_check; that every head has
// its state; that terms and totals are those of the states; that every state of the past is one that history
// still needs.
std::string CheckDatabase(const std::string& path, const std::string& vfs);

}  // namespace annex::test
