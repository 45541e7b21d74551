// Answers of conversion webhooks, right and wrong, with the texts of kube-apiserver 1.34.4 for the same ones.
#include "conversion/review.h"

#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "conversion/converted_object.h"

#include <functional>
#include <string>

#include <catch2/catch.hpp>

namespace annex::conversion {
namespace {

using json::Value;
using Change = std::function<void(Value& review, Value& object)>;

Value Yaml(const char* text) {
  return json::ParseYaml(text).value();
}

Question Ask(const std::string& review_version = "v1") {
  return {
      review_version,
      "u1",
      "example.com/v2",
      {Yaml("{apiVersion: example.com/v1, kind: Cv, metadata: {name: c, namespace: d, uid: u, generation: 1, "
            "labels: {old: l}}, spec: {a: x}}")}};
}

Value RightAnswer(const Question& question) {
  Value object = question.objects[0];
  object["apiVersion"] = question.api_version;
  return {{"apiVersion", "apiextensions.k8s.io/" + question.review_version},
          {"kind", "ConversionReview"},
          {"response",
           {{"uid", question.uid}, {"result", {{"status", "Success"}}}, {"convertedObjects", {object}}}}};
}

// What comes of an answer: the object, or the error as a text.
Value Outcome(const Question& question, const kube::WebhookReply& reply) {
  auto objects = ReadReview(question, reply);
  if (!objects) return objects.error().message;
  if (objects->size() != 1) return std::to_string(objects->size()) + " objects";
  const auto accepted = AcceptConverted(question.objects[0], (*objects)[0], question.api_version, 0);
  return accepted ? (*objects)[0] : Value(accepted.error().message);
}

Value OutcomeOfBody(const std::string& body, int status = 200, const std::string& type = "application/json") {
  return Outcome(Ask(), {status, type, body});
}

// What comes of an answer in which `change` was made.
Value OutcomeOf(const Change& change, const Question& question = Ask()) {
  Value review = RightAnswer(question);
  Value object = review["response"]["convertedObjects"][0];
  change(review, object);
  if (json::ItemsAt(review, {"response", "convertedObjects"}).size() == 1) {
    review["response"]["convertedObjects"][0] = object;
  }
  return Outcome(question, {200, "application/json", json::ToJson(review)});
}

const std::string kAbout = "conversion webhook for example.com/v1, Kind=Cv returned invalid ";

}  // namespace

TEST_CASE("a review is written as kube-apiserver writes it", "[conversion]") {
  CHECK(WriteReview(Ask()) ==
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u1",)"
        R"("desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Cv",)"
        R"("metadata":{"generation":1,"labels":{"old":"l"},"name":"c","namespace":"d","uid":"u"},)"
        R"("spec":{"a":"x"}}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}})"
        "\n");
}

TEST_CASE("a right answer is taken, its metadata but for labels and annotations is not", "[conversion]") {
  const Value object = OutcomeOf([](Value&, Value& converted) {
    converted["spec"] = {{"b", 1}};
    converted["metadata"]["labels"] = {{"new", "x"}};
    converted["metadata"]["annotations"] = {{"note", "x"}};
    converted["metadata"]["generation"] = 77;
    converted["metadata"]["finalizers"] = {"x/y"};
  });
  CHECK(object == Yaml("{apiVersion: example.com/v2, kind: Cv, metadata: {name: c, namespace: d, uid: u, "
                       "generation: 1, labels: {new: x}, annotations: {note: x}}, spec: {b: 1}}"));
  const Value unlabelled =
      OutcomeOf([](Value&, Value& converted) { converted["metadata"]["labels"] = nullptr; });
  CHECK(!unlabelled["metadata"].contains("labels"));
}

TEST_CASE("an answer about another object is refused", "[conversion]") {
  const auto with = [](const char* changes) {
    return OutcomeOf([changes](Value&, Value& object) { object.merge_patch(Yaml(changes)); });
  };
  CHECK(with("{metadata: {name: zz}}") == kAbout + "object: must have the same name: c != zz");
  CHECK(with("{metadata: {namespace: zz}}") == kAbout + "object: must have the same namespace: d != zz");
  CHECK(with("{metadata: {uid: zz}}") == kAbout + "object: must have the same UID: u != zz");
  CHECK(with("{metadata: x}") == kAbout + "object: must have the same name: c != ");
  CHECK(with("{kind: Zz}") == kAbout + "object at index 0: invalid kind (expected Cv, received Zz)");
  CHECK(with("{apiVersion: example.com/v3}") ==
        kAbout +
            "object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)");
  CHECK(with("{apiVersion: null}") ==
        kAbout + "object at index 0: invalid groupVersion (expected example.com/v2, received )");
}

TEST_CASE("labels and annotations have to be valid", "[conversion]") {
  const auto with = [](const char* changes) {
    return OutcomeOf([changes](Value&, Value& object) { object["metadata"].update(Yaml(changes)); });
  };
  CHECK(with("{labels: {a: 1}}") ==
        kAbout + "metadata: metadata.labels[a] must be a string, but is int64 in converted object");
  CHECK(with("{labels: x}") ==
        kAbout + "metadata: invalid metadata.labels of type string in converted object");
  CHECK(with("{labels: [1]}") ==
        kAbout + "metadata: invalid metadata.labels of type []interface {} in converted object");
  CHECK(with("{annotations: {a: null}}") ==
        kAbout + "metadata: metadata.annotations[a] must be a string, but is <nil> in converted object");
  const std::string name_part =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const std::string label =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
      "must "
      "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
      "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  CHECK(with("{annotations: {a b: c}}") ==
        kAbout + "metadata: metadata.annotation: Invalid value: \"a b\": " + name_part);
  CHECK(with("{labels: {a b: c, ok: /bad/}}") ==
        kAbout + "metadata: [metadata.labels: Invalid value: \"a b\": " + name_part +
            ", metadata.labels: Invalid value: \"/bad/\": " + label + "]");
}

TEST_CASE("what is no object is refused", "[conversion]") {
  const auto with = [](const Value& object) {
    return OutcomeOf([&object](Value&, Value& converted) { converted = object; });
  };
  CHECK(with(nullptr) == "unexpected end of JSON input");
  CHECK(with("x") == "json: cannot unmarshal string into Go value of type map[string]interface {}");
  CHECK(with(1) == "json: cannot unmarshal number into Go value of type map[string]interface {}");
  CHECK(with(Value::array()) == "json: cannot unmarshal array into Go value of type map[string]interface {}");
  CHECK(with(Value::object()) == "Object 'Kind' is missing in '{}'");
}

TEST_CASE("an answer says what it is, to what, and that it worked", "[conversion]") {
  const auto with = [](const char* changes) {
    return OutcomeOf([changes](Value& review, Value&) { review.merge_patch(Yaml(changes)); });
  };
  CHECK(with("{response: {uid: x}}") == R"(expected response.uid="u1", got "x")");
  CHECK(with("{response: {uid: null}}") == R"(expected response.uid="u1", got "")");
  CHECK(with("{response: null}") == "no response provided");
  CHECK(with("{response: {result: {status: Failure, message: boom}}}") == "boom");
  CHECK(with("{response: {result: {status: Failure}}}") ==
        "response.result.status was 'Failure', not 'Success'");
  CHECK(with("{response: {result: null}}") == "response.result.status was '', not 'Success'");
  CHECK(with("{response: {convertedObjects: null}}") == "0 objects");
  CHECK(with("{response: {convertedObjects: []}}") == "0 objects");
  CHECK(
      with("{kind: Foo}") ==
      R"(no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:110")");
  CHECK(with("{apiVersion: v1}") ==
        R"(no kind "ConversionReview" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110")");
  CHECK(with("{kind: null}") ==
        "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got "
        "apiextensions.k8s.io/v1, "
        "Kind=");
  CHECK(with("{apiVersion: null, kind: null}") ==
        "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=");
  CHECK(with("{apiVersion: apiextensions.k8s.io/v1beta1}") ==
        "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion");
  CHECK(with("{response: {convertedObjects: {a: b}}}") ==
        "json: cannot unmarshal object into Go struct field ConversionResponse.response.convertedObjects of "
        "type "
        "[]runtime.RawExtension");
  CHECK(with("{response: {result: x}}") ==
        "json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type "
        "v1.Status");
  CHECK(with("{foo: 1, response: {bar: 2}}").is_object());
}

TEST_CASE("v1beta1 demands less", "[conversion]") {
  const auto with = [](const char* changes) {
    return OutcomeOf([changes](Value& review, Value&) { review.merge_patch(Yaml(changes)); }, Ask("v1beta1"));
  };
  CHECK(with("{response: {uid: x}}").is_object());
  CHECK(with("{kind: null}").is_object());
  CHECK(with("{response: null}") == "no response provided");
  CHECK(with("{kind: Foo}") ==
        R"(no kind "Foo" is registered for version "apiextensions.k8s.io/v1beta1" in scheme )"
        R"("pkg/runtime/scheme.go:110")");
}

TEST_CASE("answers that are no reviews", "[conversion]") {
  const std::string no_struct =
      " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
      "\"json:\\\"kind,omitempty\\\"\" }";
  const std::string cannot = "couldn't get version/kind; json parse error: ";
  CHECK(OutcomeOfBody("") == "0-length response with status code: 200 and content type: application/json");
  CHECK(OutcomeOfBody("<html>hello</html>", 200, "text/html") ==
        cannot + "json: cannot unmarshal string" + no_struct);
  CHECK(OutcomeOfBody("[]") == cannot + "json: cannot unmarshal array" + no_struct);
  CHECK(OutcomeOfBody("{\"kind\":") == cannot + "unexpected end of JSON input");
  CHECK(OutcomeOfBody("{} garbage") == cannot + "invalid character 'g' after top-level value");
  CHECK(OutcomeOfBody("{\"kind\":1}") ==
        cannot + "json: cannot unmarshal number into Go struct field .kind of type string");
  CHECK(OutcomeOfBody("{}", 200, "a/b/c") ==
        "Internal error occurred: mime: unexpected content after media subtype");
  CHECK(OutcomeOfBody(json::ToYaml(RightAnswer(Ask())), 201, "application/yaml").is_object());
}

TEST_CASE("status codes have client-go's words", "[conversion]") {
  const auto text = [](int status) { return OutcomeOfBody("why not", status, "text/plain"); };
  CHECK(text(400) == "the server rejected our request for an unknown reason");
  CHECK(text(403) == "why not");
  CHECK(text(404) == "the server could not find the requested resource");
  CHECK(text(418) == "the server responded with the status code 418 but did not return more information");
  CHECK(text(500) == "an error on the server (\"why not\") has prevented the request from succeeding");
  CHECK(text(503) == "the server is currently unable to handle the request");
  CHECK(text(302) == "the server responded with the status code 302 but did not return more information");
  CHECK(OutcomeOfBody("{}", 500) ==
        "an error on the server (\"unknown\") has prevented the request from succeeding");
  CHECK(OutcomeOfBody(R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"I am"})", 500) ==
        "I am");
}

}  // namespace annex::conversion
