#include "conversion/webhook_target.h"

#include <catch2/catch.hpp>

namespace annex::conversion {

TEST_CASE("the URL of a webhook is cleaned as kube-apiserver cleans it", "[conversion]") {
  const auto url = [](const char* text) {
    definition::Webhook webhook;
    webhook.url = text;
    return TargetOf(webhook).value().Url();
  };
  CHECK(url("https://h/convert") == "https://h/convert?timeout=30s");
  CHECK(url("https://h:8443") == "https://h:8443/?timeout=30s");
  CHECK(url("https://h/a//b/./c/../") == "https://h/a/b?timeout=30s");
  CHECK(url("https://h/a%20b") == "https://h/a%20b?timeout=30s");
}

TEST_CASE("a webhook behind a Service is asked for by the Service's name", "[conversion]") {
  definition::Webhook webhook;
  webhook.service = {"apps", "hook", "/convert", 8443};
  const kube::WebhookTarget target = TargetOf(webhook).value();
  CHECK(target.host == "hook.apps.svc");
  CHECK(target.Url() == "https://hook.apps.svc:8443/convert?timeout=30s");
  CHECK(target.service->namespace_name == "apps");
}

TEST_CASE("a webhook has a port that there is", "[conversion]") {
  definition::Webhook webhook;
  webhook.url = "https://h:70000";
  CHECK(!TargetOf(webhook));
  webhook.url = "https://h";
  CHECK(TargetOf(webhook).value().port == 443);
}

}  // namespace annex::conversion
