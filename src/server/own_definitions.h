// OwnDefinitions: Annex's own definitions, written through the API's rules for adoption.
//
// Thread rule: used on the executor of the client. Lifetime: the client must outlive it.
#pragma once

#include "annex/base/result.h"
#include "annex/base/task.h"
#include "annex/json/value.h"
#include "annex/source/local_definitions.h"
#include "local_client.h"

#include <string>
#include <vector>

namespace annex::server {

class OwnDefinitions final : public source::LocalDefinitions {
 public:
  explicit OwnDefinitions(LocalClient& client) : client_(client) {}

  base::Task<base::Result<std::vector<json::Value>>> List() override;
  // Errors: also Conflict, if there is one of this name that was not adopted from the same definition.
  base::Task<base::Result<void>> Apply(json::Value definition, Mode mode) override;
  base::Task<base::Result<void>> Remove(std::string name) override;

 private:
  LocalClient& client_;
};

}  // namespace annex::server
