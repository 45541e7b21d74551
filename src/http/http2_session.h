// HTTP/2 with nghttp2: many requests at a time on one connection. kube-apiserver sends the requests of all
// its users over one.
//
// nghttp2 frames and unframes; bytes in come from the connection, bytes out are collected until there is a
// good piece to write. Every stream has its own request, body source and buffer; a stream that has nothing to
// send for now is deferred and resumed.
#pragma once

#include "annex/api/message.h"
#include "connection.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include <nghttp2/nghttp2.h>

namespace annex::http {

class Http2Session final : public Session {
 public:
  explicit Http2Session(Connection& connection);
  ~Http2Session() override;

  void Begin() override;
  void OnData(std::string_view bytes) override;
  void OnWritten() override;
  void OnClosed() override;
  void Drain() override;
  bool OnDeadline() override;

 private:
  struct Stream {
    api::Request request;
    std::size_t header_bytes = 0;
    bool refused = false;  // its headers broke a limit
    bool served = false;   // the service has it
    api::Response response;
    std::string piece;      // of the body, being sent
    std::size_t sent = 0;   // of the piece
    bool ended = false;     // the piece is the last
    bool waiting = false;   // the body has nothing after the piece until it wakes us
    bool deferred = false;  // nghttp2 waits for Resume
    bool head = false;
    std::chrono::steady_clock::time_point begun;
  };

  static nghttp2_session_callbacks* MakeCallbacks();
  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_length, const std::uint8_t* value, std::size_t value_length,
                      std::uint8_t flags, void* self);
  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnDataChunk(nghttp2_session* session, std::uint8_t flags, std::int32_t id,
                         const std::uint8_t* data, std::size_t length, void* self);
  static int OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnStreamClose(nghttp2_session* session, std::int32_t id, std::uint32_t error, void* self);
  static ssize_t ReadBody(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer, std::size_t length,
                          std::uint32_t* flags, nghttp2_data_source* source, void* self);

  static ssize_t SendBytes(nghttp2_session* session, const std::uint8_t* data, std::size_t length, int flags,
                           void* self);
  static int SendData(nghttp2_session* session, nghttp2_frame* frame, const std::uint8_t* head,
                      std::size_t length, nghttp2_data_source* source, void* self);

  Stream* Find(std::int32_t id);
  int AddHeader(std::int32_t id, std::string_view name, std::string_view value);
  void Serve(std::int32_t id, Stream& stream);
  void Answer(std::int32_t id, api::Response response);
  void Resume(std::int32_t id);
  // Fills the stream's piece; false if there is nothing for now.
  bool FillPiece(std::int32_t id, Stream& stream);
  // Writes what nghttp2 has to send, unless a write is under way (then its end does).
  void Flush();
  // Flush at the end of this turn of the thread, so that the answers of one turn share a write.
  void FlushSoon();
  void UpdateDeadline();
  // The oldest stream whose request is not complete yet; nullptr if there is none.
  Stream* OldestIncomplete();

  Connection& connection_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  // In the order in which they began. Streams that were served or closed may still be in it.
  std::deque<std::int32_t> incomplete_;
  std::string out_;  // what Flush collects
  bool flush_posted_ = false;
  bool in_receive_ = false;
  bool closed_ = false;
  std::shared_ptr<Http2Session*> alive_;
};

}  // namespace annex::http
