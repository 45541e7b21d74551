#include "openapi_handler.h"

#include "conditional.h"
#include "context.h"
#include "negotiation.h"
#include "openapi_writer.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

// Documents of more pieces are sent while they are made. Half as many resources, each of which takes a
// millisecond at most: that is how long a request may keep its thread from others.
constexpr std::size_t kPiecesAtOnce = 32;

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

// Sends a document while it is made.
class DocumentBody final : public BodySource {
 public:
  explicit DocumentBody(OpenApiWriter writer) : writer_(std::move(writer)) {}

  State Read(std::size_t max_bytes, std::string& out) override {
    const std::size_t begin = out.size();
    while (out.size() - begin < max_bytes) {
      if (!writer_.Next(out)) return State::kEnd;
    }
    return State::kMore;
  }
  void SetWake(std::function<void()> wake) override {}

 private:
  OpenApiWriter writer_;
};

struct MediaType {
  OpenApiEncoding encoding;
  std::string name;  // as the answer names it
};

// What the Accept header likes best; nullopt if it likes nothing that there is.
std::optional<MediaType> Negotiate(std::string_view accept, OpenApiVersion form) {
  const std::string version = form == OpenApiVersion::kV2 ? "v2" : "v3";
  const std::string protobuf = "com.github.proto-openapi.spec." + version + ".v1.0+protobuf";
  const std::string old_protobuf = "com.github.proto-openapi.spec." + version + "@v1.0+protobuf";
  const auto offers = std::to_array<std::pair<std::string, MediaType>>({
      {"json", {OpenApiEncoding::kJson, "application/json"}},
      {protobuf, {OpenApiEncoding::kProtobuf, "application/" + protobuf}},
      {old_protobuf, {OpenApiEncoding::kProtobuf, "application/" + protobuf}},
  });
  for (const AcceptClause& clause : ParseAccept(accept.empty() ? "*/*" : accept)) {
    if (clause.type != "application" && clause.type != "*") continue;
    for (const auto& [subtype, offer] : offers) {
      if (clause.subtype == subtype || clause.subtype == "*") return offer;
    }
  }
  return std::nullopt;
}

std::string Quoted(const std::string& etag) {
  return "\"" + etag + "\"";
}

// "Sun, 21 Nov 2027 13:36:12 UTC": a year from now.
std::string InAYear(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  ++fields.tm_year;
  const std::time_t later = timegm(&fields);  // brings February 29th in order
  gmtime_r(&later, &fields);
  std::array<char, 40> text{};
  const auto length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S UTC", &fields);
  return {text.data(), length};
}

Response Empty(int status) {
  Response response;
  response.status = status;
  return response;
}

// The answer to a request for something with an ETag ("" without one), still without its body; `complete` if
// it needs none.
Response Head(const Request& request, const std::string& etag, const std::string& content_type,
              bool& complete) {
  const auto ended = EndedByCondition(request, etag);
  complete = ended.has_value();
  Response response = Empty(ended.value_or(200));
  if (response.status != 304) response.headers.Add("content-type", content_type);
  if (!etag.empty()) response.headers.Add("etag", etag);
  return response;
}

Response DocumentResponse(const Request& request, OpenApiDocument document, const MediaType& type) {
  bool complete = false;
  Response response = Head(request, Quoted(document.etag), type.name, complete);
  if (complete) return response;
  OpenApiWriter writer(std::move(document), type.encoding);
  if (writer.pieces() > kPiecesAtOnce) {
    response.stream = std::make_unique<DocumentBody>(std::move(writer));
    return response;
  }
  while (writer.Next(response.body)) {
  }
  return response;
}

Response ServeIndex(OpenApi& openapi, const definition::Snapshot& snapshot, const Request& request) {
  const auto index = openapi.V3Index(snapshot);
  bool complete = false;
  // Upstream's aggregator makes the list, and gives it no ETag.
  Response response = Head(request, "", std::string(kPlainText), complete);
  if (!complete) response.body = index->json;
  return response;
}

Response ServeV2(OpenApi& openapi, const definition::Snapshot& snapshot, const Request& request) {
  const auto type = Negotiate(request.headers.First("accept"), OpenApiVersion::kV2);
  Response response = type ? DocumentResponse(request, openapi.V2(snapshot), *type) : Empty(406);
  response.headers.Add("vary", "Accept-Encoding");
  response.headers.Add("vary", "Accept");
  return response;
}

Response Redirect(const std::string& path, const std::string& etag, const MediaType& type) {
  Response response = BodyResponse(301, type.name, "");
  response.headers.Add("etag", Quoted(etag));
  response.headers.Add("location", "/openapi/v3/" + path + "?hash=" + etag);
  response.headers.Add("vary", "Accept");
  return response;
}

Response ServeV3(OpenApi& openapi, const definition::Snapshot& snapshot, const Request& request,
                 const std::string& path, const std::string& hash, const base::Clock& clock) {
  auto document = openapi.V3(snapshot, path);
  if (!document) return Empty(404);
  const auto type = Negotiate(request.headers.First("accept"), OpenApiVersion::kV3);
  if (!type) {
    Response response = Empty(406);
    response.headers.Add("vary", "Accept");
    return response;
  }
  const std::string etag = document->etag;
  const bool current = hash == etag;
  if (!hash.empty() && !current && openapi.builtins()) return Redirect(path, etag, *type);
  Response response = DocumentResponse(request, *std::move(document), *type);
  response.headers.Add("vary", "Accept");
  if (current) {
    response.headers.Add("cache-control", "public, immutable");
    response.headers.Add("expires", InAYear(clock.Now()));
  }
  return response;
}

}  // namespace

std::optional<Response> ServeOpenApi(OpenApi& openapi, const definition::Snapshot& snapshot,
                                     const Request& request, std::string_view path,
                                     const QueryParameters& query, const base::Clock& clock) {
  constexpr std::string_view kDocuments = "/openapi/v3/";
  if (path == "/openapi/v2") return ServeV2(openapi, snapshot, request);
  if (path == "/openapi/v3") return ServeIndex(openapi, snapshot, request);
  if (!path.starts_with(kDocuments)) return std::nullopt;
  return ServeV3(openapi, snapshot, request, std::string(path.substr(kDocuments.size())), query.Get("hash"),
                 clock);
}

}  // namespace annex::api
