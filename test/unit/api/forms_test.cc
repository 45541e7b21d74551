// Parts of content negotiation and of the typed forms. Orders and texts are those of kube-apiserver 1.34.4.
#include "annex/json/read.h"
#include "annex/schema/go_duration.h"
#include "annex/schema/types.h"
#include "api/member_text.h"
#include "api/negotiation.h"
#include "api/protobuf_read.h"
#include "api/protobuf_write.h"
#include "api_fixture.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::api {
namespace {

std::vector<std::string> Order(std::string_view accept) {
  std::vector<std::string> names;
  for (const AcceptClause& clause : ParseAccept(accept)) names.push_back(clause.type + "/" + clause.subtype);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("clauses of an Accept header are in goautoneg's order", "[api][forms]") {
  CHECK(Order("a/b;q=0.5, c/d") == Names{"c/d", "a/b"});
  CHECK(Order("*/*, a/b") == Names{"a/b", "*/*"});
  // More specific wins over better, if it comes later.
  CHECK(Order("*/*;q=0.9, a/b;q=0.1") == Names{"a/b", "*/*"});
  CHECK(Order("a/b;q=x, c/d;q=0.1") == Names{"c/d", "a/b"});
  CHECK(Order("rubbish, a/b/c, , *") == Names{"*/*"});
  CHECK(Order(std::string(5000, ',') + "a/b") == Names{"a/b"});
}

TEST_CASE("metadata in the order of Go's struct", "[api][forms]") {
  std::string out;
  AppendMetadataInOrder(
      out,
      R"({"creationTimestamp":"t","finalizers":["a"],"labels":{"b":"}","a":"\""},"managedFields":[{"apiVersion":"v1","fieldsV1":{"f:a":{}},"manager":"m"}],)"
      R"("name":"n","ownerReferences":[{"apiVersion":"v1","controller":true,"kind":"K","name":"o","uid":"u"},{"apiVersion":"v2","kind":"K","name":"p","uid":"w"}],"resourceVersion":"","uid":"x"})",
      7);
  CHECK(
      out ==
      R"({"name":"n","uid":"x","resourceVersion":"7","creationTimestamp":"t","labels":{"b":"}","a":"\""},)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u","controller":true},{"apiVersion":"v2","kind":"K","name":"p","uid":"w"}],)"
      R"("finalizers":["a"],"managedFields":[{"manager":"m","apiVersion":"v1","fieldsV1":{"f:a":{}}}]})");
}

TEST_CASE("what is written in protobuf can be read again", "[api][forms]") {
  const json::Value meta =
      json::Parse(
          R"({"name":"a","generation":300,"creationTimestamp":"2020-01-02T03:04:05Z",)"
          R"("labels":{"x":"1","y":""},"finalizers":["f","g"],)"
          R"("ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u","controller":true}]})")
          .value();
  const auto read =
      ReadProtobufMessage(WriteProtobufMessage(meta, schema::ObjectMetaType()), schema::ObjectMetaType());
  REQUIRE(read);
  CHECK(*read == meta);
  std::string body;
  AppendProtobufDocument(body, "v1", "Status", "raw");
  const auto document = ReadProtobufDocument(body);
  REQUIRE(document);
  CHECK(document->api_version == "v1");
  CHECK(document->kind == "Status");
  CHECK(document->message == "raw");
}

TEST_CASE("durations are refused in Go's words", "[api][forms]") {
  CHECK(schema::CheckGoDuration("1h30m"));
  CHECK(schema::CheckGoDuration("-1.5s"));
  CHECK(schema::CheckGoDuration("0"));
  CHECK(schema::CheckGoDuration("abc").error() == "time: invalid duration \"abc\"");
  CHECK(schema::CheckGoDuration("").error() == "time: invalid duration \"\"");
  CHECK(schema::CheckGoDuration("5").error() == "time: missing unit in duration \"5\"");
  CHECK(schema::CheckGoDuration("5x").error() == "time: unknown unit \"x\" in duration \"5x\"");
  CHECK(schema::CheckGoDuration("9999999999h").error() == "time: invalid duration \"9999999999h\"");
}

}  // namespace annex::api

namespace annex::test {

TEST_CASE("a client that takes only protobuf gets a Status and metadata in it", "[api][forms]") {
  ApiFixture api;
  api.Create("a");
  const Answer refused = api.Get(kWidgets + "/a", "application/vnd.kubernetes.protobuf");
  CHECK(refused.status == 406);
  CHECK(refused.headers.First("content-type") == "application/vnd.kubernetes.protobuf");
  CHECK(refused.text.starts_with(std::string_view("k8s\0", 4)));
  const Answer shown = api.Get(
      kWidgets, "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  CHECK(shown.status == 200);
  const auto document = api::ReadProtobufDocument(shown.text);
  REQUIRE(document);
  CHECK(document->kind == "PartialObjectMetadataList");
}

TEST_CASE("a table and a list of metadata begin with what is said of the whole", "[api][forms]") {
  ApiFixture api;
  for (const char* name : {"a", "b", "c"}) api.Create(name);
  const std::string list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  const Answer page = api.Get(kWidgets + "?limit=2", list);
  CHECK(page.text.starts_with(
      R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":)"));
  CHECK(json::IntegerAt(page.body, {"metadata", "remainingItemCount"}) == 1);
  const Answer table = api.Get(kWidgets, "application/json;as=Table;g=meta.k8s.io;v=v1");
  CHECK(table.text.starts_with(
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":)"));
}

TEST_CASE("large answers may be compressed, if the client names gzip", "[api][forms]") {
  ApiFixture api;
  const std::string text(200'000, 'x');
  const std::string gadget =
      R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"text":")";
  REQUIRE(api.Call("POST", kGadgets, gadget + text + "\"}").status == 201);
  CHECK(api.Call("GET", kGadgets + "/a", "", {{"accept-encoding", "deflate, gzip"}}).gzip);
  CHECK(!api.Call("GET", kGadgets + "/a", "", {{"accept-encoding", "gzip;q=1"}}).gzip);
  CHECK(!api.Get(kGadgets + "/a").gzip);
  CHECK(!api.Call("GET", kGadgets + "/none", "", {{"accept-encoding", "gzip"}}).gzip);
}

TEST_CASE("a request's timeout must be a duration, but for watches", "[api][forms]") {
  ApiFixture api;
  CHECK(api.Get(kWidgets + "?timeout=5").message() ==
        "invalid timeout specified in the request URL - time: missing unit in duration \"5\"");
  CHECK(api.Get(kWidgets + "?timeout=5s").status == 200);
  CHECK(api.Get(kWidgets + "?watch=1&timeoutSeconds=-1&timeout=5").status == 200);
}

}  // namespace annex::test
