// ApiFixture: the whole API on a simulated store, without HTTP and without controllers.
//
// Served are namespaces, definitions (which nobody establishes here) and resources of example.com, in the
// namespaces "default" (active) and "ending" (terminating): namespaced Widgets with status, scale, a
// selectable field and a column; cluster-scoped Gadgets, whose content is free; and Parts, which a webhook
// converts between v1 and v2.
//
// Thread rule: one thread; time passes only when the fixture waits for the end of an answer.
#pragma once

#include "annex/api/api_service.h"
#include "annex/auth/masters_authorizer.h"
#include "annex/json/value.h"
#include "fake_webhook.h"
#include "support/simulated_store.h"

#include <memory>
#include <optional>
#include <string>

namespace annex::test {

inline const std::string kWidgets = "/apis/example.com/v1/namespaces/default/widgets";
inline const std::string kGadgets = "/apis/example.com/v1/gadgets";
inline const std::string kPartsV1 = "/apis/example.com/v1/namespaces/default/parts";
inline const std::string kPartsV2 = "/apis/example.com/v2/namespaces/default/parts";
inline const std::string kNamespaces = "/api/v1/namespaces";
inline const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

struct Answer {
  int status = 0;
  base::Headers headers;
  std::string text;
  bool gzip = false;  // the transport would compress it
  json::Value body;   // null if the text is no JSON

  std::string message() const { return json::TextAt(body, {"message"}); }
};

class ApiFixture {
 public:
  ApiFixture();
  ~ApiFixture();

  // Sends a request and waits for the whole answer. `headers` come before a content-type of application/json.
  Answer Call(const std::string& method, const std::string& target, const std::string& body = "",
              base::Headers headers = {});
  Answer Get(const std::string& target, const std::string& accept = "");
  // Sends a body of the given type: "merge-patch+json" stands for application/merge-patch+json.
  Answer Send(const std::string& method, const std::string& target, const std::string& type,
              const std::string& body);

  // A Widget named `name`; `more` are further members of the object: `"status":{}`.
  static std::string Widget(const std::string& name, const std::string& more = "");
  // The webhook of parts.example.com, which has the versions v1 and v2.
  FakeWebhook& webhook() { return *webhook_; }
  // Serves parts.example.com with another storage version than v1, as if its definition had been changed.
  // `stored`: its status.storedVersions, as YAML.
  void StoreParts(const std::string& storage_version, const std::string& stored);

  // Serves widgets.example.com alone, about to be served elsewhere.
  void LetWidgetsLeave();

  // Creates it. REQUIRES: that works.
  json::Value Create(const std::string& name, const std::string& more = "");

 private:
  class Namespaces;
  class Authenticator;

  SimulatedDisk disk_{1};
  SimulatedStore store_{disk_};
  base::Metrics metrics_;
  definition::Registry registry_;
  SeededRandom random_{1};
  api::Health health_;
  auth::MastersAuthorizer authorizer_;
  store::WatchHub hub_;
  std::unique_ptr<Namespaces> namespaces_;
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<FakeWebhook> webhook_;
  store::CollectionId widgets_ = 0;
  store::CollectionId gadgets_ = 0;
  store::CollectionId parts_ = 0;
  std::unique_ptr<base::Executor> executor_;
  std::optional<api::ApiService> service_;
  base::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace annex::test
