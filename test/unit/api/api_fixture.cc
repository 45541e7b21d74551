#include "api_fixture.h"

#include "annex/base/log.h"
#include "annex/definition/validate.h"
#include "annex/json/read.h"
#include "annex/json/yaml.h"

#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::test {
namespace {

constexpr const char* kWidgetDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, uid: w}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string, default: blue}
              size: {type: integer, minimum: 1}
              replicas: {type: integer}
          status:
            type: object
            properties:
              phase: {type: string}
              replicas: {type: integer}
              selector: {type: string}
)";

constexpr const char* kGadgetDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com, uid: g}
spec:
  group: example.com
  scope: Cluster
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

std::string PartDefinition(const std::string& storage_version, const std::string& stored) {
  const auto version = [&](const std::string& name, const std::string& field) {
    return "\n  - name: " + name +
           "\n    served: true\n    storage: " + (storage_version == name ? "true" : "false") +
           "\n    subresources: {status: {}}" + "\n    selectableFields: [{jsonPath: .spec." + field + "}]" +
           "\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {" +
           field +
           ": {type: integer}, name: {type: string, default: none}}}, status: {type: object, properties: {" +
           "phase: {type: string}}}}}}";
  };
  return R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parts.example.com, uid: p}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: parts, singular: part, kind: Part, listKind: PartList}
  conversion:
    strategy: Webhook
    webhook: {clientConfig: {url: "https://hooks.example.com/convert"}, conversionReviewVersions: [v1]}
  versions:)" +
         version("v1", "size") + version("v2", "length") + "\nstatus: {storedVersions: " + stored + "}\n";
}

std::shared_ptr<const definition::Resource> CompileFrom(const std::string& yaml,
                                                        store::CollectionId collection,
                                                        bool leaving = false) {
  json::Value definition = json::ParseYaml(yaml).value();
  definition::SetDefaults(definition);
  definition::Resource::Options options;
  options.names = definition::ReadNames(*json::FindPath(definition, {"spec", "names"}));
  options.collection = collection;
  options.leaving = leaving;
  return definition::Resource::Compile(definition, std::move(options)).value();
}

}  // namespace

class ApiFixture::Namespaces final : public definition::NamespaceLookup {
 public:
  definition::NamespaceState State(std::string_view name) const override {
    if (name == "default") return definition::NamespaceState::kActive;
    return name == "ending" ? definition::NamespaceState::kTerminating : definition::NamespaceState::kMissing;
  }
  base::Task<base::Result<void>> Refresh(std::string name, base::Executor& executor) override {
    co_return base::Result<void>();
  }
};

class ApiFixture::Authenticator final : public auth::Authenticator {
 public:
  base::Task<base::Result<auth::User>> Authenticate(auth::Credentials credentials) override {
    auth::User user;
    user.name = "tester";
    user.groups = {std::string(auth::kMastersGroup)};
    co_return user;
  }
};

ApiFixture::ApiFixture()
    : hub_({}, metrics_),
      namespaces_(std::make_unique<Namespaces>()),
      authenticator_(std::make_unique<Authenticator>()),
      webhook_(std::make_unique<FakeWebhook>()),
      executor_(store_.scheduler.NewExecutor("io")) {
  base::SetUpLogging(base::LogFormat::kText, base::LogLevel::kError);
  REQUIRE(store_.Open(&hub_));
  hub_.SetStore(store_.store());
  const auto open = [this](const char* name) { return store_.OpenCollection(name).value().id; };
  const api::Builtins builtins = {open("definitions"), open("namespaces"), true};
  widgets_ = open("widgets");
  gadgets_ = open("gadgets");
  parts_ = open("parts");
  StoreParts("v1", "[v1]");
  service_.emplace(api::ApiParts{store_.store(), hub_, registry_, *namespaces_, *authenticator_, authorizer_,
                                 *webhook_, health_, store_.scheduler.clock(), random_, metrics_},
                   builtins);
}

ApiFixture::~ApiFixture() = default;

void ApiFixture::StoreParts(const std::string& storage_version, const std::string& stored) {
  registry_.Publish(std::make_shared<const definition::Snapshot>(
      std::vector{CompileFrom(kWidgetDefinition, widgets_), CompileFrom(kGadgetDefinition, gadgets_),
                  CompileFrom(PartDefinition(storage_version, stored), parts_)}));
}

void ApiFixture::LetWidgetsLeave() {
  registry_.Publish(std::make_shared<const definition::Snapshot>(
      std::vector{CompileFrom(kWidgetDefinition, widgets_, true)}));
}

Answer ApiFixture::Call(const std::string& method, const std::string& target, const std::string& body,
                        base::Headers headers) {
  api::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  request.headers = std::move(headers);
  if (!request.headers.Has("content-type")) request.headers.Add("content-type", "application/json");
  request.peer = std::make_shared<auth::Peer>();
  request.executor = executor_.get();
  request.tasks = &tasks_;

  std::optional<api::Response> response;
  base::TaskScope tasks;
  tasks.Spawn<api::Response>(service_->Serve(std::move(request)),
                             [&](api::Response given) { response = std::move(given); });
  while (!response) REQUIRE(store_.scheduler.Step());
  Answer answer{response->status, response->headers, std::move(response->body), response->gzip, nullptr};
  if (response->stream) {
    response->stream->SetWake([] {});
    using State = api::BodySource::State;
    for (State state = State::kMore; state == State::kMore || state == State::kWaiting;) {
      state = response->stream->Read(1UL << 16U, answer.text);
      if (state == State::kWaiting) store_.scheduler.AdvanceTime(std::chrono::milliseconds(100));
    }
  }
  if (auto parsed = json::Parse(answer.text)) answer.body = *std::move(parsed);
  return answer;
}

Answer ApiFixture::Get(const std::string& target, const std::string& accept) {
  base::Headers headers;
  if (!accept.empty()) headers.Add("accept", accept);
  return Call("GET", target, "", std::move(headers));
}

Answer ApiFixture::Send(const std::string& method, const std::string& target, const std::string& type,
                        const std::string& body) {
  return Call(method, target, body, {{"content-type", "application/" + type}});
}

std::string ApiFixture::Widget(const std::string& name, const std::string& more) {
  return R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name + "\"}" +
         (more.empty() ? "" : "," + more) + "}";
}

json::Value ApiFixture::Create(const std::string& name, const std::string& more) {
  Answer answer = Call("POST", kWidgets, Widget(name, more));
  INFO(answer.text);
  REQUIRE(answer.status == 201);
  return std::move(answer.body);
}

}  // namespace annex::test
