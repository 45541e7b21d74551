#include "annex_process.h"

#include "annex/base/check.h"
#include "annex/json/write.h"
#include "annex/kube/config.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace annex::test {
namespace {

std::string Program() {
  const char* named = std::getenv("ANNEX_BINARY");
  if (named != nullptr) return named;
  // build/NAME/test/integration/integration-tests
  const auto tests = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return tests.parent_path().parent_path() / "annex";
}

std::string TemporaryFile() {
  std::string path = "/tmp/annex-test-output-XXXXXX";
  const int file = mkstemp(path.data());
  ANNEX_CHECK(file >= 0, "a temporary file can be made");
  close(file);
  return path;
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

AnnexProcess::AnnexProcess(const std::vector<std::string>& arguments) : output_path_(TemporaryFile()) {
  const std::string program = Program();
  std::vector<std::string> held = {program};
  held.insert(held.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : held) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_path_.c_str(), O_WRONLY | O_APPEND, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int failed = posix_spawn(&pid_, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ANNEX_CHECK(failed == 0, "the annex program can be started; build it, or set ANNEX_BINARY");
}

AnnexProcess::~AnnexProcess() {
  if (!exit_code_) {
    Signal(SIGKILL);
    static_cast<void>(Wait());
  }
  std::remove(output_path_.c_str());
}

std::unique_ptr<AnnexProcess> AnnexProcess::Standalone(const std::string& data_dir,
                                                       std::vector<std::string> more) {
  std::vector<std::string> arguments = {"serve",  "--standalone", "--data-dir",
                                        data_dir, "--listen",     "127.0.0.1:0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::remove((data_dir + "/admin.kubeconfig").c_str());
  auto process = std::make_unique<AnnexProcess>(arguments);
  process->WaitUntilServing(data_dir);
  return process;
}

// The kubeconfig is written once the server listens.
void AnnexProcess::WaitUntilServing(const std::string& data_dir) {
  const std::string path = data_dir + "/admin.kubeconfig";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (access(path.c_str(), R_OK) != 0) {
    const bool gave_up =
        std::chrono::steady_clock::now() > end || Wait(std::chrono::milliseconds(0)).has_value();
    if (gave_up) std::fprintf(stderr, "annex did not start:\n%s\n", Output().c_str());
    ANNEX_CHECK(!gave_up, "annex serves");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto config = kube::LoadKubeconfig(path);
  ANNEX_CHECK(config.has_value(), "the kubeconfig can be read");
  port_ = static_cast<std::uint16_t>(std::atoi(config->server.substr(config->server.rfind(':') + 1).c_str()));
  admin_.port = port_;
  admin_.certificate = config->client_certificate;
  admin_.key = config->client_key;
}

void AnnexProcess::Signal(int signal) const {
  kill(pid_, signal);
}

std::optional<int> AnnexProcess::Wait(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!exit_code_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (std::chrono::steady_clock::now() >= end) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return exit_code_;
}

std::string AnnexProcess::Output() const {
  return Content(output_path_);
}

TlsClientOptions AnnexProcess::Admin() const {
  return admin_;
}

Http1Answer Ask(const TlsClientOptions& who, const std::string& method, const std::string& target,
                const json::Value& body, const std::string& more_headers) {
  TlsClient client(who);
  const std::string text = body.is_null() ? "" : json::ToJson(body);
  if (!client.connected() || !client.Write(Http1Request(method, target, text, more_headers))) return {};
  return Http1Reader(client).Answer().value_or(Http1Answer());
}

json::Value WidgetDefinition() {
  const json::Value text = {{"type", "string"}};
  const json::Value schema = {
      {"type", "object"},
      {"properties", {{"spec", {{"type", "object"}, {"properties", {{"color", text}}}}}}},
  };
  const json::Value version = {
      {"name", "v1"}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", schema}}}};
  return {
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata", {{"name", "widgets.example.com"}}},
      {"spec",
       {{"group", "example.com"},
        {"scope", "Namespaced"},
        {"names", {{"plural", "widgets"}, {"singular", "widget"}, {"kind", "Widget"}}},
        {"versions", json::Value::array({version})}}},
  };
}

json::Value Widget(const std::string& name, const std::string& color) {
  return {{"apiVersion", "example.com/v1"},
          {"kind", "Widget"},
          {"metadata", {{"name", name}}},
          {"spec", {{"color", color}}}};
}

bool ServeWidgets(const TlsClientOptions& who) {
  if (Ask(who, "POST", kDefinitions, WidgetDefinition()).status != 201) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (Ask(who, "GET", kWidgets).status != 200) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace annex::test
