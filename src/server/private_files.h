// Files that only their owner may read: keys, kubeconfigs.
#pragma once

#include "annex/base/result.h"

#include <string>

namespace annex::server {

// Replaces a file in one step (mode 0600), durably. Errors: InternalError.
base::Result<void> WritePrivateFile(const std::string& path, const std::string& content);

// A file's content. Errors: NotFound, InternalError.
base::Result<std::string> ReadFile(const std::string& path);

// A folder with mode 0700, if it is missing. Errors: InternalError.
base::Result<void> MakePrivateDirectory(const std::string& path);

}  // namespace annex::server
