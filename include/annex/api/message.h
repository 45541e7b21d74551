// Request, Response and Service: the seam between the HTTP transport and the API.
//
// The transport knows bytes, connections and certificates; the API knows what a request means. Nothing below
// this header knows HTTP versions, nothing above it knows objects.
#pragma once

#include "annex/auth/peer.h"
#include "annex/base/executor.h"
#include "annex/base/headers.h"
#include "annex/base/task.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace annex::api {

struct Request {
  std::string method;  // as sent: "GET"
  std::string target;  // as sent: path and query, not decoded
  base::Headers headers;
  std::string body;
  // The body was longer than `body_limit` bytes and is not here.
  bool body_too_large = false;
  std::size_t body_limit = 0;
  // What the connection's TLS handshake proved; shared by the connection's requests, never null.
  std::shared_ptr<auth::Peer> peer;
  std::string remote_address;  // "10.0.0.1:41234", for logs
  // Where the request is handled and its response is read. Outlives the request.
  base::Executor* executor = nullptr;
  // For what goes on after the response was given up: tasks of the same executor. May be null where no
  // response is a stream.
  base::TaskScope* tasks = nullptr;
};

// A body that is produced while it is sent: a long list, a watch.
//
// Thread rule: everything runs on the request's executor, `wake` too, which may be called after the source
// was destroyed.
class BodySource {
 public:
  virtual ~BodySource() = default;

  enum class State : std::uint8_t {
    kMore,     // call Read again when the bytes are sent
    kWaiting,  // nothing after these bytes for now; `wake` will be called once
    kEnd,      // the body is complete
    kBroken,   // it cannot be completed: the client must see a broken connection, not a short body
  };
  // Appends the next bytes to `out`: about `max_bytes`, more only if one piece is larger.
  virtual State Read(std::size_t max_bytes, std::string& out) = 0;

  // Called once, before the first Read. A source that never waits has no use for it.
  virtual void SetWake(std::function<void()> wake) = 0;
  // The server is stopping: end at the next opportunity, so that clients come back elsewhere.
  virtual void Stop() {}
};

struct Response {
  int status = 200;
  base::Headers headers;  // without Content-Length, Transfer-Encoding and Date, which the transport adds
  std::string body;       // the whole body, if `stream` is null
  std::unique_ptr<BodySource> stream;
  // The client takes gzip, and the body is worth it: the transport compresses it.
  bool gzip = false;
};

// Answers requests.
//
// Thread rule: Serve is called on request.executor, concurrently from several; the task goes on there.
class Service {
 public:
  virtual ~Service() = default;
  virtual base::Task<Response> Serve(Request request) = 0;
};

}  // namespace annex::api
