// Http2Client: an HTTP/2 connection that a test drives.
//
// Thread rule: one thread; nothing is sent or received but in Run.
#pragma once

#include "tls_client.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace annex::test {

struct Http2Stream {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;
  bool closed = false;
  std::uint32_t error = 0;  // of RST_STREAM

  // Ours: what is sent.
  std::string request_body;
  std::size_t sent = 0;
  bool stalls = false;  // the request's body never ends
};

class Http2Client {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  // `window`: what the server may send ahead, on a stream and (from 64 KiB on) on the connection; 0: nothing
  // on a stream.
  explicit Http2Client(TlsClientOptions options, std::uint32_t window = 65535);
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  // Begins a request; what comes back is in stream(). The reference lives as long as the client.
  Http2Stream& Begin(const std::string& method, const std::string& path, const std::string& body = "",
                     const Headers& headers = {});
  // The same with a body that stalls after `body`.
  Http2Stream& BeginStalling(const std::string& path, const std::string& body);
  // Gives up a request (RST_STREAM).
  void Cancel(const Http2Stream& stream);

  // Sends and receives until `done` or the end of `patience`; returns what `done` says.
  bool Run(const std::function<bool()>& done, std::chrono::milliseconds patience = std::chrono::seconds(10));

  bool connected() const { return client_.connected(); }
  bool closed() const { return client_.closed(); }
  bool goaway() const { return goaway_; }
  TlsClient& tls() { return client_; }

 private:
  struct Callbacks;
  Http2Stream& Submit(const std::string& method, const std::string& path, Http2Stream stream,
                      const Headers& headers);

  TlsClient client_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::unique_ptr<Http2Stream>> streams_;
  bool goaway_ = false;
};

}  // namespace annex::test
