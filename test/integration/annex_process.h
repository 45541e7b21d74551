// AnnexProcess: the annex program as a child process, and its answers.
//
// The program is $ANNEX_BINARY, or else the one that was built with the tests. Thread rule: one thread.
#pragma once

#include "http1_reader.h"
#include "tls_client.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace annex::test {

class AnnexProcess {
 public:
  // Starts `annex ARGUMENTS...`.
  explicit AnnexProcess(const std::vector<std::string>& arguments);
  // Kills it if it still runs.
  ~AnnexProcess();
  AnnexProcess(const AnnexProcess&) = delete;
  AnnexProcess& operator=(const AnnexProcess&) = delete;

  // `annex serve --standalone` on a port of the system's choice, ready to be asked. A test whose server does
  // not get there fails.
  static std::unique_ptr<AnnexProcess> Standalone(const std::string& data_dir,
                                                  std::vector<std::string> more = {});

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // The exit code, or 128 + the signal that ended it; nullopt if it still runs after `patience`.
  std::optional<int> Wait(std::chrono::milliseconds patience = std::chrono::seconds(20));
  // What it wrote to its standard output and error so far.
  std::string Output() const;

  std::uint16_t port() const { return port_; }
  // A connection with the administrator's certificate of the data directory.
  TlsClientOptions Admin() const;

 private:
  void WaitUntilServing(const std::string& data_dir);

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  std::string output_path_;
  std::uint16_t port_ = 0;
  TlsClientOptions admin_;
};

// One request over a connection of its own. Status 0: no answer.
Http1Answer Ask(const TlsClientOptions& who, const std::string& method, const std::string& target,
                const json::Value& body = nullptr, const std::string& more_headers = "");

// The definition of widgets.example.com (v1, namespaced), as it is posted.
json::Value WidgetDefinition();
json::Value Widget(const std::string& name, const std::string& color);
inline constexpr char kDefinitions[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr char kWidgets[] = "/apis/example.com/v1/namespaces/default/widgets";
// Posts the definition and waits until its objects are served. False if they are not in time.
bool ServeWidgets(const TlsClientOptions& who);

}  // namespace annex::test
