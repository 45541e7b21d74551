#include "non_resource.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "annex/schema/types_discovery.h"
#include "answer.h"
#include "context.h"
#include "negotiation.h"
#include "openapi_handler.h"
#include "protobuf_write.h"
#include "status_text.h"

#include <algorithm>

namespace annex::api {
namespace {

using json::Value;

// What stands behind the media type of an aggregated document.
constexpr std::string_view kGroupDiscoveryParameters = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

std::string ProtobufText(const Value& document, const schema::TypedStruct& structure) {
  std::string body;
  AppendProtobufDocument(body, json::TextAt(document, {"apiVersion"}), json::TextAt(document, {"kind"}),
                         WriteProtobufMessage(document, structure));
  return body;
}

std::string JsonText(const Value& document, const schema::TypedStruct& structure) {
  std::string json;
  schema::AppendTyped(json, document, structure);
  return json;
}

// `structure`: what the document is in Go, which decides the order of its keys.
Response Document(const Request& request, const QueryParameters& query, const Value& document,
                  const schema::TypedStruct& structure) {
  const auto format = NegotiateDiscovery(request.headers, query);
  if (!format) return ErrorResponse(request.headers, query, format.error());
  std::string body;
  switch (format->encoding) {
    case Encoding::kProtobuf:
      body = ProtobufText(document, structure);
      break;
    case Encoding::kYaml:
      body = json::ToYaml(document);
      break;
    case Encoding::kJson:
      body = JsonText(document, structure);
      body = format->pretty ? json::Indent(body) : body + "\n";
      break;
  }
  return BodyResponse(200, format->ContentType(), std::move(body));
}

// `json`: the aggregated document as it is kept, with a newline.
std::string GroupDiscoveryText(const std::string& json, const OutputFormat& format) {
  if (format.encoding == Encoding::kJson && !format.pretty) return json;
  if (format.encoding == Encoding::kJson) return json::Indent(json.substr(0, json.size() - 1));
  // What this program wrote can be read again.
  const Value document = json::Parse(json).value();
  if (format.encoding == Encoding::kYaml) return json::ToYaml(document);
  return ProtobufText(document, schema::ApiGroupDiscoveryListType());
}

Value VersionDocument() {
  return {{"major", "1"},
          {"minor", "34"},
          {"emulationMajor", "1"},
          {"emulationMinor", "34"},
          {"minCompatibilityMajor", "1"},
          {"minCompatibilityMinor", "33"},
          // kubectl and libraries read a Kubernetes version here; the suffix tells people what answers.
          {"gitVersion", "v1.34.4+annex-" ANNEX_VERSION},
          {"gitCommit", ""},
          {"gitTreeState", ""},
          {"buildDate", ""},
          {"goVersion", ""},
          {"compiler", "g++ " __VERSION__},
          {"platform", "linux/amd64"}};
}

// Go's router: it knows one method and one form.
base::Result<std::optional<Response>> ServeVersion(const Request& request) {
  if (request.method != "GET") return base::Error(MethodNotAllowed());
  const std::string_view accept = request.headers.First("accept");
  const bool takes = accept.empty() || accept.find("application/json") != std::string_view::npos ||
                     accept.find("*/*") != std::string_view::npos;
  if (!takes) return base::Error(NoSuchRepresentation("application/json"));
  // Always indented, whoever asks.
  return std::optional(BodyResponse(200, "application/json", json::ToPrettyJson(VersionDocument())));
}

}  // namespace

base::Result<std::optional<Response>> NonResource::Serve(const Request& request, const RequestInfo& info,
                                                         const QueryParameters& query) {
  const auto& segments = info.segments;
  if (segments.empty()) {
    const Value paths = {{"paths", discovery_.Paths(*registry_.Current())}};
    return BodyResponse(200, "application/json", json::Indent(JsonText(paths, schema::RootPathsType())));
  }
  const std::string& first = segments[0];
  if (first == "api" || first == "apis") return ServeDiscovery(request, info, query);
  if (first == "openapi")
    return ServeOpenApi(openapi_, *registry_.Current(), request, info.path, query, clock_);
  if (info.path.ends_with('/') && first != "version") return std::nullopt;
  if (first == "healthz" || first == "livez" || first == "readyz") {
    if (segments.size() > 2) return std::nullopt;
    return ServeHealth(first, segments.size() == 2 ? segments[1] : "", query);
  }
  if (segments.size() != 1) return std::nullopt;
  if (first == "version") return ServeVersion(request);
  if (first == "metrics")
    return BodyResponse(200, "text/plain; version=0.0.4; charset=utf-8", metrics_.Expose());
  return std::nullopt;
}

std::optional<Response> NonResource::ServeDiscovery(const Request& request, const RequestInfo& info,
                                                    const QueryParameters& query) {
  const auto snapshot = registry_.Current();
  const auto& segments = info.segments;
  const bool core = segments[0] == "api";
  if (segments.size() == 1) {
    // With a slash behind it, /apis is another path upstream, that of a group list alone.
    const auto format =
        core || !info.path.ends_with('/') ? NegotiateGroupDiscovery(request.headers, query) : std::nullopt;
    if (format) return ServeAggregated(request, *snapshot, core, *format);
    const Value document = core ? discovery_.CoreVersions(std::string(request.headers.First("host")))
                                : discovery_.GroupList(*snapshot);
    return Document(request, query, document, core ? schema::ApiVersionsType() : schema::ApiGroupListType());
  }
  std::optional<Value> document;
  if (core && segments.size() == 2) document = discovery_.ResourceList(*snapshot, "", segments[1]);
  if (!core && segments.size() == 2) document = discovery_.Group(*snapshot, segments[1]);
  if (!core && segments.size() == 3) document = discovery_.ResourceList(*snapshot, segments[1], segments[2]);
  if (!document) return std::nullopt;
  const bool group = !core && segments.size() == 2;
  return Document(request, query, *document, group ? schema::ApiGroupType() : schema::ApiResourceListType());
}

Response NonResource::ServeAggregated(const Request& request, const definition::Snapshot& snapshot, bool core,
                                      const OutputFormat& format) {
  const auto document = discovery_.AggregatedList(snapshot, core);
  const std::string etag = "\"" + document->etag + "\"";
  Response response;
  if (request.headers.First("if-none-match") == etag) {
    response.status = 304;
  } else {
    response = BodyResponse(200, std::string(format.ContentType()).append(kGroupDiscoveryParameters),
                            GroupDiscoveryText(document->body, format));
  }
  response.headers.Add("etag", etag);
  response.headers.Add("vary", "Accept");
  response.headers.Add("cache-control", "public");
  return response;
}

Response NonResource::ServeHealth(std::string_view endpoint, std::string_view one,
                                  const QueryParameters& query) const {
  const std::vector<std::string> excluded = query.All("exclude");
  std::string text;
  bool healthy = true;
  bool found = one.empty();
  for (const Health::NamedCheck& check : health_.checks()) {
    if (endpoint != "readyz" && !check.live) continue;
    if (!one.empty() && check.name != one) continue;
    found = true;
    if (std::find(excluded.begin(), excluded.end(), check.name) != excluded.end()) {
      text += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    const auto result = check.check();
    healthy = healthy && result.has_value();
    text += result ? "[+]" + check.name + " ok\n"
                   : "[-]" + check.name + " failed: " + result.error().message + "\n";
  }
  if (!found) return PageNotFound();
  if (healthy && !query.Has("verbose")) return TextResponse(200, "ok");
  text += std::string(endpoint) + " check " + (healthy ? "passed\n" : "failed\n");
  return TextResponse(healthy ? 200 : 500, text);
}

}  // namespace annex::api
