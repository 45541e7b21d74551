#include "response_head.h"

#include <boost/beast/http/status.hpp>

namespace annex::http {
namespace {

// "content-type" -> "Content-Type"; cosmetic, for people who read traces.
void AppendCanonical(std::string& out, std::string_view name) {
  bool upper = true;
  for (const char character : name) {
    out +=
        upper && character >= 'a' && character <= 'z' ? static_cast<char>(character - 'a' + 'A') : character;
    upper = character == '-';
  }
}

void AppendHeader(std::string& out, std::string_view name, std::string_view value) {
  AppendCanonical(out, name);
  out.append(": ").append(value).append("\r\n");
}

}  // namespace

void AppendHead(std::string& out, const api::Response& response, const Framing& framing,
                const std::string& date) {
  const auto reason = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason.data(), reason.size()).append("\r\n");
  for (const base::Header& header : response.headers) AppendHeader(out, header.name, header.value);
  AppendHeader(out, "date", date);
  if (framing.content_length) {
    AppendHeader(out, "content-length", std::to_string(*framing.content_length));
  } else if (framing.has_body) {
    AppendHeader(out, "transfer-encoding", "chunked");
  }
  if (framing.close) AppendHeader(out, "connection", "close");
  out += "\r\n";
}

}  // namespace annex::http
