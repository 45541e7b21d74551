#include "http1_reader.h"

#include "annex/base/strings.h"
#include "annex/json/read.h"

#include <cstdlib>

namespace annex::test {

json::Value Http1Answer::Json() const {
  auto value = json::Parse(body);
  return value ? *std::move(value) : json::Value();
}

bool Http1Reader::Fill(std::chrono::milliseconds patience) {
  const std::string bytes = client_.Read(patience);
  buffer_ += bytes;
  return !bytes.empty();
}

std::optional<std::string> Http1Reader::Take(std::size_t length, std::chrono::milliseconds patience) {
  while (buffer_.size() < length) {
    if (!Fill(patience)) return std::nullopt;
  }
  std::string taken = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return taken;
}

std::optional<std::string> Http1Reader::TakeLine(std::chrono::milliseconds patience) {
  while (buffer_.find("\r\n") == std::string::npos) {
    if (!Fill(patience)) return std::nullopt;
  }
  const auto end = buffer_.find("\r\n");
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::optional<Http1Answer> Http1Reader::Head(std::chrono::milliseconds patience) {
  auto line = TakeLine(patience);
  if (!line || !line->starts_with("HTTP/1.1 ")) return std::nullopt;
  Http1Answer answer;
  answer.status = std::atoi(line->c_str() + 9);
  for (line = TakeLine(patience); line && !line->empty(); line = TakeLine(patience)) {
    const auto colon = line->find(':');
    if (colon == std::string::npos) return std::nullopt;
    answer.headers[base::AsciiLower(line->substr(0, colon))] =
        std::string(base::TrimSpace(line->substr(colon + 1)));
  }
  if (!line) return std::nullopt;
  return answer;
}

std::optional<std::string> Http1Reader::Chunk(std::chrono::milliseconds patience) {
  const auto size = TakeLine(patience);
  if (!size) return std::nullopt;
  auto chunk = Take(std::strtoul(size->c_str(), nullptr, 16), patience);
  const auto end = TakeLine(patience);
  return end ? chunk : std::nullopt;
}

std::optional<Http1Answer> Http1Reader::Answer(std::chrono::milliseconds patience) {
  auto answer = Head(patience);
  if (!answer || answer->status == 100) return answer;
  if (answer->headers["transfer-encoding"] == "chunked") {
    for (auto chunk = Chunk(patience);; chunk = Chunk(patience)) {
      if (!chunk) return std::nullopt;
      if (chunk->empty()) return answer;
      answer->body += *chunk;
    }
  }
  const auto body = Take(std::strtoul(answer->headers["content-length"].c_str(), nullptr, 10), patience);
  if (!body) return std::nullopt;
  answer->body = *body;
  return answer;
}

std::string Http1Request(const std::string& method, const std::string& target, const std::string& body,
                         const std::string& more_headers) {
  std::string request = method + " " + target + " HTTP/1.1\r\nHost: annex\r\n" + more_headers;
  if (!body.empty())
    request += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  return request + "\r\n" + body;
}

}  // namespace annex::test
