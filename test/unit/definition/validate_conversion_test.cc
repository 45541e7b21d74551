// The conversion stanza of definitions, with the errors of kube-apiserver 1.34.4.
#include "annex/auth/certificate_authority.h"
#include "annex/base/strings.h"
#include "annex/definition/validate.h"
#include "annex/definition/webhook.h"
#include "annex/json/yaml.h"

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::definition {
namespace {

using Errors = std::vector<std::string>;

json::Value DefinitionWith(const std::string& conversion) {
  json::Value definition = json::ParseYaml(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  conversion: )" + conversion + R"(
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
status: {storedVersions: [v1]}
)")
                               .value();
  SetDefaults(definition);
  return definition;
}

Errors Short(const json::FieldErrors& errors) {
  const std::string place = "spec.conversion.";
  Errors texts;
  for (const json::FieldError& error : errors) {
    const std::string message = error.Message();
    texts.push_back(message.starts_with(place) ? message.substr(place.size()) : message);
  }
  return texts;
}

Errors ErrorsOf(const std::string& conversion) {
  return Short(ValidateDefinition(DefinitionWith(conversion)));
}

Errors ErrorsOfWebhook(const std::string& config, const std::string& versions = "[v1]") {
  return ErrorsOf("{strategy: Webhook, webhook: {clientConfig: " + config +
                  ", conversionReviewVersions: " + versions + "}}");
}

json::Value WithBundle(const std::string& pem, bool established) {
  json::Value definition = DefinitionWith(
      "{strategy: Webhook, webhook: {clientConfig: {url: \"https://x\"}, conversionReviewVersions: [v1]}}");
  definition["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = base::Base64Encode(pem);
  definition["status"]["conditions"] = {
      {{"type", "Established"}, {"status", established ? "True" : "False"}}};
  return definition;
}

std::string Certificate() {
  const auto authority =
      auth::CertificateAuthority::Make("test", std::chrono::hours(1), std::chrono::system_clock::now());
  return authority.value().pem().certificate;
}

constexpr const char* kForm = "; desired format: https://host[/path]";

}  // namespace

TEST_CASE("a strategy has what belongs to it, and nothing else", "[definition][conversion]") {
  CHECK(ErrorsOf("null").empty());
  CHECK(ErrorsOf("{strategy: None, webhook: {}}").empty());
  CHECK(ErrorsOf("{}") == Errors{"strategy: Required value"});
  CHECK(ErrorsOf("{strategy: Foo}") ==
        Errors{R"(strategy: Unsupported value: "Foo": supported values: "None", "Webhook")"});
  CHECK(ErrorsOf("{strategy: Webhook}") ==
        Errors{"webhookClientConfig: Required value: required when strategy is set to Webhook",
               "conversionReviewVersions: Required value"});
  CHECK(ErrorsOf("{strategy: None, webhook: {clientConfig: {url: x}, conversionReviewVersions: [v1]}}") ==
        Errors{"webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
               "conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook"});
}

TEST_CASE("a webhook's URL is https, and only host and path", "[definition][conversion]") {
  const auto errors = [](const std::string& url) { return ErrorsOfWebhook("{url: \"" + url + "\"}"); };
  const std::string place = "webhookClientConfig.url: ";
  CHECK(errors("https://h/p").empty());
  CHECK(errors("http://x") ==
        Errors{place + "Invalid value: \"http\": 'https' is the only allowed URL scheme" + kForm});
  CHECK(errors("https://") == Errors{place + "Invalid value: \"\": host must be specified" + kForm});
  CHECK(errors("https://u:p@b") ==
        Errors{place + "Invalid value: \"u:p\": user information is not permitted in the URL"});
  CHECK(errors("https://x?y=1") ==
        Errors{place + "Invalid value: \"y=1\": query parameters are not permitted in the URL"});
  CHECK(errors("https://x#f") ==
        Errors{place + "Invalid value: \"f\": fragments are not permitted in the URL"});
  CHECK(errors("https://x:abc") ==
        Errors{place +
               "Required value: url must be a valid URL: parse \"https://x:abc\": invalid port \":abc\" "
               "after host" +
               kForm});
}

TEST_CASE("a webhook's Service has a name, a namespace, a port and a path", "[definition][conversion]") {
  const auto errors = [](const std::string& service) {
    return ErrorsOfWebhook("{service: " + service + "}");
  };
  const std::string place = "webhookClientConfig.service.";
  CHECK(errors("{name: a, namespace: b, path: /a/}").empty());
  CHECK(errors("{}") == Errors{place + "name: Required value", place + "namespace: Required value"});
  CHECK(errors("{name: a}") == Errors{place + "name: Required value"});
  CHECK(errors("{name: a, namespace: b, port: 0}") ==
        Errors{place + "port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"});
  CHECK(errors("{name: a, namespace: b, path: x}") ==
        Errors{place + "path: Invalid value: \"x\": must start with a '/'",
               place + "path: Invalid value: \"x\": segment[0] may not be empty"});
  CHECK(errors("{name: a, namespace: b, path: //}") ==
        Errors{place + "path: Invalid value: \"//\": segment[0] may not be empty"});
  CHECK(errors("{name: a, namespace: b, path: /a//b/}") ==
        Errors{place + "path: Invalid value: \"/a//b/\": segment[1] may not be empty"});
  const std::string neither =
      "webhookClientConfig: Required value: exactly one of url or service is required";
  CHECK(ErrorsOfWebhook("{}") == Errors{neither});
  CHECK(ErrorsOfWebhook("{url: \"https://x\", service: {name: a, namespace: b}}") == Errors{neither});
  CHECK(ReadWebhook(
            DefinitionWith("{strategy: Webhook, webhook: {clientConfig: {service: {name: a, namespace: b}}, "
                           "conversionReviewVersions: [v1]}}"))
            ->service->port == 443);
}

TEST_CASE("a review is of a version that there is", "[definition][conversion]") {
  const auto errors = [](const char* versions) { return ErrorsOfWebhook("{url: \"https://x\"}", versions); };
  CHECK(errors("[v2, v1beta1, v1]").empty());
  CHECK(errors("[]") == Errors{"conversionReviewVersions: Required value"});
  CHECK(errors("[v1, v1]") ==
        Errors{"conversionReviewVersions[1]: Invalid value: \"v1\": duplicate version"});
  CHECK(
      errors("[v2]") ==
      Errors{"conversionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1"});
  const auto webhook =
      ReadWebhook(DefinitionWith("{strategy: Webhook, webhook: {clientConfig: {url: \"https://x\"}, "
                                 "conversionReviewVersions: [v2, v1beta1, "
                                 "v1]}}"));
  CHECK(webhook->review_version == "v1beta1");
}

TEST_CASE("a bundle that cannot be read is refused once a definition is established",
          "[definition][conversion]") {
  const auto errors = [](const std::string& pem, const json::Value& old) {
    return Short(ValidateDefinitionUpdate(WithBundle(pem, true), old));
  };
  const std::string good = Certificate();
  CHECK(ValidateDefinition(WithBundle("abc", false)).empty());
  CHECK(errors("abc", WithBundle("", false)).empty());
  CHECK(errors("abc", WithBundle("abcd", true)).empty());
  CHECK(errors(good, WithBundle(good, true)).empty());
  CHECK(errors("abc", WithBundle(good, true)) ==
        Errors{"webhookClientConfig.caBundle: Invalid value: \"YWJj\": unable to load root certificates: "
               "unable to "
               "parse bytes as PEM block"});
}

TEST_CASE("a bundle holds a certificate that can be read", "[definition][conversion]") {
  const auto problem = [](const std::string& pem) {
    const auto checked = CheckCaBundle(pem);
    return checked ? std::string()
                   : checked.error().message.substr(std::string("unable to load root certificates: ").size());
  };
  CHECK(problem("").empty());
  CHECK(problem(Certificate()).empty());
  CHECK(problem("junk\n" + Certificate()).empty());
  CHECK(problem(" \n") == "unable to parse bytes as PEM block");
  CHECK(problem("-----BEGIN CERTIFICATE-----\nMTIz\n-----END CERTIFICATE-----\n") ==
        "failed to parse certificate: x509: malformed certificate");
  CHECK(problem("-----BEGIN FOO-----\nMTIz\n-----END FOO-----\n") ==
        "no valid certificate authority data seen");
}

TEST_CASE("white space for a bundle leaves it to the system's authorities", "[definition][conversion]") {
  CHECK(ReadWebhook(WithBundle(" \n", true))->ca_bundle.empty());
  CHECK(!ReadWebhook(DefinitionWith("{strategy: None}")));
}

}  // namespace annex::definition
