#include "kubeconfig_file.h"

#include "annex/base/strings.h"
#include "annex/json/value.h"
#include "annex/json/yaml.h"

namespace annex::server {

std::string MakeKubeconfig(const std::string& url, const std::string& authority,
                           const auth::CertificateAndKey& user) {
  json::Value config;
  config["apiVersion"] = "v1";
  config["kind"] = "Config";
  config["clusters"] = {
      {{"name", "annex"},
       {"cluster", {{"server", url}, {"certificate-authority-data", base::Base64Encode(authority)}}}}};
  config["users"] = {{{"name", "annex-admin"},
                      {"user",
                       {{"client-certificate-data", base::Base64Encode(user.certificate)},
                        {"client-key-data", base::Base64Encode(user.key)}}}}};
  config["contexts"] = {{{"name", "annex"}, {"context", {{"cluster", "annex"}, {"user", "annex-admin"}}}}};
  config["current-context"] = "annex";
  return json::ToYaml(config);
}

}  // namespace annex::server
