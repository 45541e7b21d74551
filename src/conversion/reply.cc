#include "reply.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"
#include "annex/json/yaml.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace annex::conversion {
namespace {

using json::Value;

// Of an answer that is no object, a message shows this much.
constexpr std::size_t kMaxShownText = 2048;

auto Problem(std::string message) {
  return base::Error(base::Reason::kBadRequest, std::move(message));
}

// "application/json; charset=utf-8" -> "application/json"
std::string_view MediaType(std::string_view content_type) {
  return base::TrimSpace(content_type.substr(0, content_type.find(';')));
}

base::Result<void> CheckContentType(std::string_view content_type) {
  const std::string_view media_type = MediaType(content_type);
  const auto slashes = std::count(media_type.begin(), media_type.end(), '/');
  if (slashes == 1 || content_type.empty()) return {};
  return Problem(
      std::string("Internal error occurred: mime: ") +
      (slashes == 0 ? "expected slash after first token" : "unexpected content after media subtype"));
}

std::string StatusCodeText(int status, const std::string& server_message) {
  switch (status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
    case 415:
      return server_message;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      return server_message == "unknown"
                 ? "the server was unable to respond with a content type that the client supports"
                 : server_message;
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be processing "
             "the request";
    default:
      break;
  }
  if (status >= 500) {
    return "an error on the server (" + base::Quote(server_message) +
           ") has prevented the request from succeeding";
  }
  return "the server responded with the status code " + std::to_string(status) +
         " but did not return more information";
}

// A Status in the body tells more than the code.
std::string ErrorText(const kube::WebhookReply& reply) {
  if (const auto body = json::Parse(reply.body); body && json::TextAt(*body, {"kind"}) == "Status" &&
                                                 json::TextAt(*body, {"apiVersion"}) == "v1" &&
                                                 json::TextAt(*body, {"status"}) != "Success") {
    return json::TextAt(*body, {"message"});
  }
  const bool is_text = reply.content_type.empty() || MediaType(reply.content_type).starts_with("text/");
  const std::string_view shown = std::string_view(reply.body).substr(0, kMaxShownText);
  return StatusCodeText(reply.status, is_text ? std::string(base::TrimSpace(shown)) : "unknown");
}

// What does not look like a JSON object is taken for YAML.
base::Result<Value> ParseDocument(const std::string& body) {
  if (!base::TrimSpace(body).starts_with('{')) return json::ParseYaml(body);
  auto parsed = json::Parse(body);
  if (parsed) return parsed;
  return Problem("couldn't get version/kind; json parse error: " + parsed.error().message);
}

// The word that Go has for a JSON value which is no object.
std::string_view GoKind(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_array()) return "array";
  return value.is_boolean() ? "bool" : "number";
}

}  // namespace

base::Result<Value> ReadReply(const kube::WebhookReply& reply) {
  ANNEX_RETURN_IF_ERROR(CheckContentType(reply.content_type));
  if (reply.status < 200 || reply.status > 206) return Problem(ErrorText(reply));
  if (reply.body.empty()) {
    return Problem(
        "0-length response with status code: " + std::to_string(reply.status) +
        " and content type: " + (reply.content_type.empty() ? "application/json" : reply.content_type));
  }
  ANNEX_TRY(Value document, ParseDocument(reply.body));
  if (document.is_null()) document = Value::object();
  const std::string cannot = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  if (!document.is_object()) {
    return Problem(cannot + std::string(GoKind(document)) +
                   " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
                   "Kind string \"json:\\\"kind,omitempty\\\"\" }");
  }
  for (const char* field : {"apiVersion", "kind"}) {
    const Value* member = json::Find(document, field);
    if (member == nullptr || member->is_string() || member->is_null()) continue;
    const std::string_view kind = member->is_object() ? "object" : GoKind(*member);
    return Problem(cannot + std::string(kind) + " into Go struct field ." + field + " of type string");
  }
  return document;
}

}  // namespace annex::conversion
