// Reading HTTP/1.1 answers off a TlsClient.
//
// Thread rule: one thread.
#pragma once

#include "annex/json/value.h"
#include "tls_client.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace annex::test {

struct Http1Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // The body as JSON; null if it is none.
  json::Value Json() const;
};

class Http1Reader {
 public:
  explicit Http1Reader(TlsClient& client) : client_(client) {}

  // The next answer, whole; nullopt if the connection ended or stalled before its end.
  std::optional<Http1Answer> Answer(std::chrono::milliseconds patience = std::chrono::seconds(10));
  // Only its head: for answers that do not end, or to HEAD.
  std::optional<Http1Answer> Head(std::chrono::milliseconds patience = std::chrono::seconds(10));
  // The next chunk of a chunked body: "" is the last; nullopt if the connection ended or stalled.
  std::optional<std::string> Chunk(std::chrono::milliseconds patience = std::chrono::seconds(10));

 private:
  std::optional<std::string> Take(std::size_t length, std::chrono::milliseconds patience);
  std::optional<std::string> TakeLine(std::chrono::milliseconds patience);
  bool Fill(std::chrono::milliseconds patience);

  TlsClient& client_;
  std::string buffer_;
};

// "GET TARGET HTTP/1.1" with a Host and, if there is one, a body with its length.
std::string Http1Request(const std::string& method, const std::string& target, const std::string& body = "",
                         const std::string& more_headers = "");

}  // namespace annex::test
