// A kubeconfig.
#include "annex/kube/config.h"
#include "fuzz.h"

#include <string>

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("kubeconfig", 0);
  ANNEX_CHECK(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size),
              "a file in memory can be made");
  const auto config = annex::kube::LoadKubeconfig("/proc/self/fd/" + std::to_string(file));
  if (config) ANNEX_CHECK(!config->server.empty(), "a configuration names its server");
  close(file);
  return 0;
}
