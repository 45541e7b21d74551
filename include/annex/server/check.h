// `annex check`: definition files judged offline with the code that serves them.
//
// Thread rule: a free function.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace annex::server {

struct CheckOptions {
  std::vector<std::string> paths;  // files, and folders of files
  std::string against;             // a file or folder with the definitions as they were; "" for none
};

// Writes a line for each thing that is wrong, FILE:LINE: FIELD: WHAT, in kube-apiserver's words; with
// `against` also for each change that would break stored objects or clients. Unknown fields and formats are
// warnings. Returns whether nothing is wrong, warnings apart.
bool Check(const CheckOptions& options, std::ostream& out);

}  // namespace annex::server
