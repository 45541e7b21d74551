// Connection: an accepted socket with its TLS, until it is closed; and the session that speaks on it.
#pragma once

#include "annex/api/message.h"
#include "annex/http/server.h"
#include "asio.h"
#include "io_thread.h"
#include "tls_engine.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace annex::http {

// What a session needs of its server.
struct SessionHost {
  api::Service& service;
  const Limits& limits;
};

class Connection;

// A protocol on a connection. Owned by it.
//
// Thread rule: the connection's I/O thread. Bytes come through OnData; a session may destroy nothing of
// itself inside it.
class Session {
 public:
  virtual ~Session() = default;
  virtual void Begin() = 0;
  // Bytes from the client. The session asks for more with Connection::Read.
  virtual void OnData(std::string_view bytes) = 0;
  // All bytes given to Connection::Write are with the system.
  virtual void OnWritten() = 0;
  // The connection is closed: drop streams.
  virtual void OnClosed() = 0;
  virtual void Drain() = 0;
  // The connection's deadline passed. True: the session gave up what was late, and goes on with a new
  // deadline.
  virtual bool OnDeadline() { return false; }
};

class Connection final : public Timed, public std::enable_shared_from_this<Connection> {
 public:
  Connection(IoThread& thread, const SessionHost& host, std::shared_ptr<asio::ssl::context> tls,
             Tcp::socket socket);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Does the handshake, then runs a session.
  void Run();

  IoThread& thread() { return thread_; }
  const SessionHost& host() const { return host_; }
  const std::shared_ptr<auth::Peer>& peer() const { return peer_; }
  const std::string& remote_address() const { return remote_address_; }

  // Reads once; Session::OnData gets what comes. A second call while one is under way does nothing.
  void Read();
  bool reading() const { return reading_; }
  // Writes `bytes`, after what is being written; calls Session::OnWritten when nothing is left to write.
  void Write(std::string bytes);
  bool writing() const { return writing_; }
  // An empty buffer to fill for the next Write, with the capacity of an earlier one.
  std::string TakeBuffer() { return thread_.TakeBuffer(); }

  void SetDeadline(std::chrono::steady_clock::duration from_now) {
    deadline_ = thread_.clock().Monotonic() + from_now;
  }
  void SetDeadlineAt(std::chrono::steady_clock::time_point time) { deadline_ = time; }
  void SetNoDeadline() { deadline_ = std::chrono::steady_clock::time_point::max(); }

  std::chrono::steady_clock::time_point deadline() const override { return deadline_; }
  void OnDeadline() override;
  void Close() override;
  void Drain() override;
  // An orderly end after the last answer: sends no more, reads on for a moment and drops what comes. Closing
  // with bytes unread would make the system reset the connection, and the client might never see the answer.
  void FinishAndClose();

 private:
  void WaitForInput();
  void OnInput(const ErrorCode& error);
  void ContinueHandshake();
  void BeginSession();
  // Gives the session what came.
  void Deliver();
  // Encrypts and sends.
  void StartWrite(std::string plaintext);
  void Send();
  void OnSent(const ErrorCode& error);

  IoThread& thread_;
  const SessionHost& host_;
  TlsEngine tls_;
  Tcp::socket socket_;
  std::string remote_address_;
  std::shared_ptr<auth::Peer> peer_;
  std::unique_ptr<Session> session_;
  std::chrono::steady_clock::time_point deadline_;
  bool reading_ = false;
  bool writing_ = false;
  bool closed_ = false;
  bool draining_ = false;
  bool finishing_ = false;
  std::string sending_;     // encrypted
  std::string next_write_;  // plain; goes when that is sent
};

}  // namespace annex::http
