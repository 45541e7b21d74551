#include "answer.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "annex/schema/types.h"
#include "context.h"
#include "protobuf_write.h"
#include "status_body.h"

#include <algorithm>

namespace annex::api {
namespace {

// Beyond this many characters in all, each warning is cut and those that still do not fit are left out
// (k8s.io/apiserver/pkg/endpoints/filters/warning.go).
constexpr std::size_t kWarningTotal = 4096;
constexpr std::size_t kWarningCut = 256;

std::string CutAt(const std::string& text, std::size_t code_points) {
  std::size_t position = 0;
  for (std::size_t i = 0; i < code_points && position < text.size(); ++i) base::NextCodePoint(text, position);
  return text.substr(0, position);
}

// Such a text is no warning, says kube-apiserver.
bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; });
}

std::string WarningHeader(const std::string& text) {
  std::string value = "299 - \"";
  for (const char character : text) {
    if (character == '"' || character == '\\') value += '\\';
    value += character;
  }
  value += '"';
  return value;
}

}  // namespace

Response ErrorResponse(const base::Headers& request_headers, const QueryParameters& query,
                       const base::Status& status) {
  auto format = NegotiateStatus(request_headers, query);
  if (!format) {
    // kube-apiserver writes by hand then, and that is indented.
    format = OutputFormat();
    format->pretty = true;
  }
  Response response = BodyResponse(base::HttpStatusCode(status.reason), format->ContentType(),
                                   StatusBody(StatusJson(status), *format));
  if (status.details.retry_after_seconds > 0) {
    response.headers.Add("retry-after", std::to_string(status.details.retry_after_seconds));
  }
  return response;
}

std::string StatusBody(const std::string& json, const OutputFormat& format) {
  if (format.encoding == Encoding::kJson) return format.pretty ? json::Indent(json) : json + "\n";
  // What this program wrote can be read again.
  const json::Value status = json::Parse(json).value();
  if (format.encoding == Encoding::kYaml) return json::ToYaml(status);
  std::string body;
  AppendProtobufDocument(body, "v1", "Status", WriteProtobufMessage(status, schema::MetaStatusType()));
  return body;
}

Response TextResponse(int status, std::string text) {
  Response response = BodyResponse(status, "text/plain; charset=utf-8", std::move(text));
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

Response PageNotFound() {
  return TextResponse(404, "404 page not found\n");
}

void AddWarnings(Response& response, const std::vector<std::string>& warnings) {
  std::size_t total = 0;
  for (const std::string& warning : warnings) total += base::CountCodePoints(warning);
  const bool cut = total > kWarningTotal;
  std::size_t written = 0;
  for (const std::string& warning : warnings) {
    const std::string text = cut ? CutAt(warning, kWarningCut) : warning;
    const std::size_t length = base::CountCodePoints(text);
    if (cut && written + length > kWarningTotal) return;
    if (HasControlCharacter(text)) continue;
    written += length;
    response.headers.Add("warning", WarningHeader(text));
  }
}

}  // namespace annex::api
