#include "api/openapi_handler.h"

#include "annex/base/strings.h"
#include "openapi_fixture.h"
#include "support/manual_clock.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::api {
namespace {

constexpr std::string_view kToys = "/openapi/v3/apis/toys.example.com/v1";

class Server {
 public:
  explicit Server(bool standalone)
      : openapi_(standalone), snapshot_(SnapshotOf(Definitions({"gadgets", "engines"}))) {}

  std::optional<Response> Ask(std::string_view target, base::Headers headers = {},
                              std::string method = "GET") {
    const auto question = target.find('?');
    Request request;
    request.method = std::move(method);
    request.headers = std::move(headers);
    const QueryParameters query(question == std::string_view::npos ? "" : target.substr(question + 1));
    return ServeOpenApi(openapi_, snapshot_, request, target.substr(0, question), query, clock_);
  }

  std::string HashOf(std::string_view path) { return openapi_.V3(snapshot_, path)->etag; }
  OpenApi& openapi() { return openapi_; }
  definition::Snapshot& snapshot() { return snapshot_; }

 private:
  OpenApi openapi_;
  definition::Snapshot snapshot_;
  test::ManualClock clock_;
};

std::string Header(const std::optional<Response>& response, std::string_view name) {
  return std::string(response->headers.First(name));
}

TEST_CASE("OpenAPI documents are JSON unless a client prefers protobuf", "[api][openapi]") {
  Server server(true);
  struct Row {
    std::string accept;
    int status;
    std::string type;
  };
  const std::string v2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  for (const Row& row : std::vector<Row>{
           {"", 200, "application/json"},
           {"*/*", 200, "application/json"},
           {"application/*", 200, "application/json"},
           {"application/json;as=Table", 200, "application/json"},
           {"text/html, application/json;q=0.5, */*;q=0.1", 200, "application/json"},
           {v2, 200, v2},
           {"application/com.github.proto-openapi.spec.v2@v1.0+protobuf", 200, v2},
           {"application/json;q=0.2, " + v2, 200, v2},
           {"application/com.github.proto-openapi.spec.v3@v1.0+protobuf", 406, ""},
           {"application/yaml", 406, ""},
           {",", 406, ""},
       }) {
    INFO(row.accept);
    const auto response = server.Ask("/openapi/v2", {{"accept", row.accept}});
    CHECK(response->status == row.status);
    CHECK(Header(response, "content-type") == row.type);
    CHECK(response->body.empty() == (row.status != 200));
    CHECK(response->headers.All("vary") == std::vector<std::string_view>{"Accept-Encoding", "Accept"});
  }
  const auto v3 =
      server.Ask(kToys, {{"accept", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"}});
  CHECK(Header(v3, "content-type") == "application/com.github.proto-openapi.spec.v3.v1.0+protobuf");
  CHECK(v3->headers.All("vary") == std::vector<std::string_view>{"Accept"});
}

TEST_CASE("a document under its hash may be kept for a year", "[api][openapi]") {
  Server server(true);
  const std::string hash = server.HashOf("apis/toys.example.com/v1");
  const auto kept = server.Ask(std::string(kToys) + "?hash=" + hash);
  CHECK(kept->status == 200);
  CHECK(Header(kept, "etag") == "\"" + hash + "\"");
  CHECK(Header(kept, "cache-control") == "public, immutable");
  CHECK(Header(kept, "expires") == "Sat, 15 Jan 2028 08:00:00 UTC");
  const auto plain = server.Ask(kToys);
  CHECK(plain->body == kept->body);
  CHECK_FALSE(plain->headers.Has("cache-control"));
  CHECK_FALSE(plain->headers.Has("expires"));
}

TEST_CASE("a hash that is out of date leads to the right one, but not through a kube-apiserver",
          "[api][openapi]") {
  Server standalone(true);
  const std::string old = std::string(kToys) + "?hash=ABC";
  const auto moved = standalone.Ask(old);
  CHECK(moved->status == 301);
  CHECK(Header(moved, "location") ==
        std::string(kToys) + "?hash=" + standalone.HashOf("apis/toys.example.com/v1"));
  CHECK(Header(moved, "content-type") == "application/json");
  CHECK(moved->body.empty());
  Server aggregated(false);
  const auto answered = aggregated.Ask(old);
  CHECK(answered->status == 200);
  CHECK_FALSE(answered->headers.Has("cache-control"));
  CHECK(!answered->body.empty());
}

TEST_CASE("If-None-Match saves what is known already", "[api][openapi]") {
  Server server(true);
  for (const std::string target : {"/openapi/v2", "/openapi/v3/apis/toys.example.com/v1"}) {
    INFO(target);
    const std::string etag = Header(server.Ask(target), "etag");
    REQUIRE(etag.size() == 130);
    for (const std::string& tags : {etag, "\"a\", W/" + etag + ", rubbish", std::string("*")}) {
      const auto unchanged = server.Ask(target, {{"if-none-match", tags}});
      CHECK(unchanged->status == 304);
      CHECK(Header(unchanged, "etag") == etag);
      CHECK_FALSE(unchanged->headers.Has("content-type"));
      CHECK(unchanged->body.empty());
    }
    CHECK(server.Ask(target, {{"if-none-match", etag}}, "HEAD")->status == 304);
    CHECK(server.Ask(target, {{"if-none-match", etag}}, "POST")->status == 412);
    CHECK(server.Ask(target, {{"if-none-match", "\"a\""}})->status == 200);
    CHECK(server.Ask(target, {{"if-none-match", "rubbish, " + etag}})->status == 200);
    CHECK(server.Ask(target, {{"if-match", etag}})->status == 200);
    CHECK(server.Ask(target, {{"if-match", "W/" + etag}})->status == 412);
    CHECK(server.Ask(target, {}, "POST")->status == 200);
  }
}

TEST_CASE("the list of documents is text, whatever is accepted", "[api][openapi]") {
  Server server(true);
  const auto response = server.Ask("/openapi/v3", {{"accept", "application/xml"}});
  CHECK(response->status == 200);
  CHECK(Header(response, "content-type") == "text/plain; charset=utf-8");
  CHECK(response->body == server.openapi().V3Index(server.snapshot())->json);
  CHECK_FALSE(response->headers.Has("etag"));
  CHECK(server.Ask("/openapi/v3", {{"if-none-match", "*"}})->status == 304);
}

TEST_CASE("paths that are no documents are not found", "[api][openapi]") {
  Server server(true);
  for (const char* target :
       {"/openapi/v3/apis/nope/v1", "/openapi/v3/apis", "/openapi/v3/apis/toys.example.com/v1/gadgets"}) {
    INFO(target);
    const auto response = server.Ask(target);
    CHECK(response->status == 404);
    CHECK(response->body.empty());
  }
  CHECK_FALSE(server.Ask("/openapi"));
  CHECK_FALSE(server.Ask("/openapi/v2/x"));
  CHECK_FALSE(server.Ask("/openapi/v4"));
}

TEST_CASE("a large document is sent while it is made", "[api][openapi]") {
  std::vector<json::Value> many;
  for (int i = 0; i < 20; ++i) {
    json::Value definition = Definitions({"engines"}).front();
    definition["spec"]["group"] = "g" + std::to_string(i) + ".example.com";
    many.push_back(std::move(definition));
  }
  const auto snapshot = SnapshotOf(many);
  OpenApi openapi(false);
  test::ManualClock clock;
  Request request;
  request.method = "GET";
  auto response = ServeOpenApi(openapi, snapshot, request, "/openapi/v2", QueryParameters(), clock);
  REQUIRE(response->stream);
  std::string body;
  auto state = BodySource::State::kMore;
  std::size_t reads = 0;
  for (; state == BodySource::State::kMore; ++reads) state = response->stream->Read(20'000, body);
  CHECK(state == BodySource::State::kEnd);
  CHECK(reads > 5);
  CHECK(body == Written(openapi.V2(snapshot), OpenApiEncoding::kJson));
}

}  // namespace
}  // namespace annex::api
