// `annex serve --standalone` as a process: who may do what, stopping, crashing, what lies on the disk.
#include "annex/auth/certificate_authority.h"
#include "annex_process.h"
#include "http2_client.h"
#include "support/temporary_directory.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/stat.h>

namespace annex::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

TlsClientOptions Anonymous(const AnnexProcess& annex) {
  return {.port = annex.port()};
}

TlsClientOptions Stranger(const AnnexProcess& annex, const std::string& common_name) {
  const auto now = std::chrono::system_clock::now();
  const auto authority = auth::CertificateAuthority::Make("annex", std::chrono::hours(1), now);
  auth::CertificateRequest request;
  request.common_name = common_name;
  request.organizations = {"system:masters"};
  const auto pair = authority->Issue(request, now);
  return {.port = annex.port(), .certificate = pair->certificate, .key = pair->key};
}

// The next line of a watch, as JSON.
json::Value NextEvent(Http1Reader& reader) {
  const auto chunk = reader.Chunk();
  Http1Answer answer;
  answer.body = chunk.value_or("");
  return answer.Json();
}

}  // namespace

TEST_CASE("the administrator's certificate may do everything, others get what Kubernetes gives them",
          "[serve][auth]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path());
  CHECK(Ask(annex->Admin(), "GET", "/api/v1/namespaces/default").status == 200);

  const auto anonymous = Ask(Anonymous(*annex), "GET", "/api/v1/namespaces/default");
  CHECK(anonymous.status == 403);
  CHECK(anonymous.Json()["reason"] == "Forbidden");
  CHECK(
      anonymous.Json()["message"] ==
      R"(namespaces "default" is forbidden: User "system:anonymous" cannot get resource "namespaces" in API group "" in the namespace "default")");

  const auto stranger = Ask(Stranger(*annex, "annex-admin"), "GET", "/api/v1/namespaces/default");
  CHECK(stranger.status == 401);
  CHECK(stranger.Json()["reason"] == "Unauthorized");

  const auto token =
      Ask(Anonymous(*annex), "GET", "/api/v1/namespaces", nullptr, "Authorization: Bearer abc\r\n");
  CHECK(token.status == 401);
  CHECK(Ask(Anonymous(*annex), "GET", "/healthz").body == "ok");
}

TEST_CASE("identity headers of a client are nothing but headers", "[serve][auth]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path());
  for (const std::string name : {"X-Remote-User", "X_Remote_User", "x-remote-group"}) {
    const std::string headers = name + ": system:admin\r\nX-Remote-Group: system:masters\r\n";
    const int status = Ask(Anonymous(*annex), "GET", "/api/v1/namespaces", nullptr, headers).status;
    CAPTURE(name, status);
    CHECK((status == 403 || status == 401));
  }
  // Nobody may act for others: the answer says so, instead of answering for whoever asked.
  CHECK(Ask(annex->Admin(), "GET", "/api/v1/namespaces", nullptr, "Impersonate-User: eve\r\n").status == 400);
}

TEST_CASE("definitions and objects are served over HTTP/1.1 and HTTP/2, and outlive the process", "[serve]") {
  const TemporaryDirectory directory;
  std::string version;
  {
    const auto annex = AnnexProcess::Standalone(directory.path());
    REQUIRE(ServeWidgets(annex->Admin()));
    const auto made = Ask(annex->Admin(), "POST", kWidgets, Widget("a", "red"));
    REQUIRE(made.status == 201);
    version = made.Json()["metadata"]["resourceVersion"];
    Http2Client http2(annex->Admin());
    const auto& got = http2.Begin("GET", std::string(kWidgets) + "/a");
    REQUIRE(http2.Run([&] { return got.closed; }));
    CHECK(got.status == 200);
    CHECK(json::Value::parse(got.body)["spec"]["color"] == "red");
    annex->Signal(SIGINT);
    CHECK(annex->Wait() == 0);
  }
  const auto annex = AnnexProcess::Standalone(directory.path());
  const auto got = Ask(annex->Admin(), "GET", std::string(kWidgets) + "/a");
  CHECK(got.status == 200);
  CHECK(got.Json()["metadata"]["resourceVersion"] == version);
}

TEST_CASE("bodies beyond --max-request-body-kib are 413 in Kubernetes' form", "[serve][limits]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path(), {"--max-request-body-kib", "16"});
  REQUIRE(ServeWidgets(annex->Admin()));
  const auto refused = Ask(annex->Admin(), "POST", kWidgets, Widget("a", std::string(20'000, 'x')));
  CHECK(refused.status == 413);
  CHECK(refused.Json()["kind"] == "Status");
  CHECK(refused.Json()["reason"] == "RequestEntityTooLarge");
  CHECK(Ask(annex->Admin(), "POST", kWidgets, Widget("a", std::string(10'000, 'x'))).status == 201);
}

TEST_CASE("what is malformed is told apart and changes nothing", "[serve][bad-input]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path());
  REQUIRE(ServeWidgets(annex->Admin()));
  const auto send = [&](const std::string& body, const std::string& type) {
    TlsClient client(annex->Admin());
    const std::string head = "POST " + std::string(kWidgets) +
                             " HTTP/1.1\r\nHost: annex\r\nContent-Type: " + type +
                             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    if (!client.Write(head + body)) return Http1Answer();
    return Http1Reader(client).Answer().value_or(Http1Answer());
  };
  CHECK(send("{", "application/json").status == 400);
  CHECK(send(std::string(100'000, '['), "application/json").status == 400);
  CHECK(send("\xff\xfe", "application/json").status == 400);
  CHECK(send("a: [", "application/yaml").status == 400);
  CHECK(send("a: &a [*a, *a]", "application/yaml").status == 400);
  CHECK(send("{}", "text/plain").status == 415);
  CHECK(send("[]", "application/json").status == 400);
  CHECK(Ask(annex->Admin(), "BREW", kWidgets).status == 405);
  CHECK(Ask(annex->Admin(), "GET", "/apis/example.com/v1/namespaces/default/gadgets").status == 404);
  CHECK(Ask(annex->Admin(), "GET", "/nothing").status == 404);
  CHECK(Ask(annex->Admin(), "GET", std::string(kWidgets) + "?limit=x").status == 400);
  CHECK(Ask(annex->Admin(), "GET", std::string(kWidgets) + "?labelSelector=a%3D%3D%3D").status == 400);
  CHECK(Ask(annex->Admin(), "GET", std::string(kWidgets) + "?continue=xyz").status == 400);
  CHECK(Ask(annex->Admin(), "GET", kWidgets).Json()["items"].empty());
}

TEST_CASE("SIGTERM ends watches properly and the process with code 0, soon", "[serve][stop]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path());
  REQUIRE(ServeWidgets(annex->Admin()));
  TlsClient watching(annex->Admin());
  Http1Reader reader(watching);
  REQUIRE(watching.Write(Http1Request("GET", std::string(kWidgets) + "?watch=true")));
  REQUIRE(reader.Head());
  Http2Client watching2(annex->Admin());
  const auto& watch2 = watching2.Begin("GET", std::string(kWidgets) + "?watch=true");
  REQUIRE(watching2.Run([&] { return watch2.status == 200; }));
  REQUIRE(Ask(annex->Admin(), "POST", kWidgets, Widget("a", "red")).status == 201);
  CHECK(NextEvent(reader)["object"]["metadata"]["name"] == "a");
  CHECK(watching2.Run([&] { return !watch2.body.empty(); }));

  const auto begin = Clock::now();
  annex->Signal(SIGTERM);
  CHECK(annex->Wait(seconds(10)) == 0);
  CHECK(Clock::now() - begin < seconds(10));
  std::optional<std::string> chunk = reader.Chunk();
  while (chunk && !chunk->empty()) chunk = reader.Chunk();
  CHECK(chunk == "");  // the end of the body, not a broken connection
  watching2.Run([&] { return watch2.closed; }, seconds(2));
  CHECK(watch2.closed);
}

TEST_CASE("a second process on the same data directory is refused and does no harm", "[serve]") {
  const TemporaryDirectory directory;
  const auto annex = AnnexProcess::Standalone(directory.path());
  AnnexProcess second({"serve", "--standalone", "--data-dir", directory.path(), "--listen", "127.0.0.1:0"});
  CHECK(second.Wait() == 1);
  CHECK_THAT(second.Output(), Catch::Contains("is in use by another annex process (pid " +
                                              std::to_string(annex->pid()) + ")"));
  CHECK_THAT(second.Output(), Catch::Contains("--data-dir"));
  CHECK(ServeWidgets(annex->Admin()));
}

TEST_CASE("a second process can wait for the data directory, and goes on where the first ended", "[serve]") {
  const TemporaryDirectory directory;
  auto first = AnnexProcess::Standalone(directory.path());
  REQUIRE(ServeWidgets(first->Admin()));
  REQUIRE(Ask(first->Admin(), "POST", kWidgets, Widget("a", "red")).status == 201);
  const std::vector<std::string> waiting = {"serve",    "--standalone", "--data-dir",      directory.path(),
                                            "--listen", "127.0.0.1:0",  "--data-dir-wait", "1m"};
  const auto until_it_waits = [](const AnnexProcess& annex) {
    for (int i = 0; i < 500 && annex.Output().find("Waiting until another") == std::string::npos; ++i)
      std::this_thread::sleep_for(milliseconds(20));
    REQUIRE_THAT(annex.Output(), Catch::Contains("Waiting until another process has left"));
  };
  SECTION("it can be ended while it waits") {
    AnnexProcess second(waiting);
    until_it_waits(second);
    second.Signal(SIGTERM);
    CHECK(second.Wait() == 0);
    CHECK(Ask(first->Admin(), "GET", std::string(kWidgets) + "/a").status == 200);
  }
  SECTION("it serves once the first is gone, however that ended") {
    std::thread killer([&] {
      std::this_thread::sleep_for(milliseconds(200));
      first->Signal(SIGKILL);
    });
    const auto second = AnnexProcess::Standalone(directory.path(), {"--data-dir-wait", "1m"});
    killer.join();
    CHECK_THAT(second->Output(), Catch::Contains("Waiting until another process has left"));
    CHECK(Ask(second->Admin(), "GET", std::string(kWidgets) + "/a").status == 200);
  }
}

TEST_CASE("kill -9 under load loses nothing that was acknowledged", "[serve][durability]") {
  const TemporaryDirectory directory;
  std::set<std::string> acknowledged;
  std::uint64_t highest = 0;
  for (int round = 0; round < 20; ++round) {
    const auto annex = AnnexProcess::Standalone(directory.path());
    if (round == 0) REQUIRE(ServeWidgets(annex->Admin()));
    std::atomic<bool> dead = false;
    std::thread killer([&] {
      std::this_thread::sleep_for(milliseconds(40 + 17 * round));
      annex->Signal(SIGKILL);
      dead = true;
    });
    Http2Client client(annex->Admin());
    std::vector<std::pair<std::string, Http2Stream*>> writes;
    for (int n = 0; !dead && !client.closed() && n < 20'000; n += 8) {
      for (int i = 0; i < 8; ++i) {
        const std::string name = "w" + std::to_string(round) + "-" + std::to_string(n + i);
        const std::string body = Widget(name, "red").dump();
        writes.emplace_back(name,
                            &client.Begin("POST", kWidgets, body, {{"content-type", "application/json"}}));
      }
      client.Run([&] {
        return dead.load() ||
               std::all_of(writes.end() - 8, writes.end(), [](auto& w) { return w.second->closed; });
      });
    }
    killer.join();
    client.Run([] { return false; }, milliseconds(100));
    CHECK(annex->Wait() == 128 + SIGKILL);
    for (const auto& [name, stream] : writes) {
      if (stream->status != 201 || !stream->closed || stream->error != NGHTTP2_NO_ERROR) continue;
      acknowledged.insert(name);
      const std::string version = json::Value::parse(stream->body)["metadata"]["resourceVersion"];
      CHECK(std::stoull(version) > highest);
      highest = std::max<std::uint64_t>(highest, std::stoull(version));
    }
  }
  const auto annex = AnnexProcess::Standalone(directory.path());
  const auto list = Ask(annex->Admin(), "GET", kWidgets).Json();
  CHECK(std::stoull(list["metadata"]["resourceVersion"].get<std::string>()) >= highest);
  std::set<std::string> present;
  for (const json::Value& item : list["items"]) present.insert(item["metadata"]["name"]);
  REQUIRE(acknowledged.size() > 100);
  for (const std::string& name : acknowledged) {
    if (!present.contains(name)) FAIL_CHECK("acknowledged and lost: " << name);
  }
}

TEST_CASE("what the data directory holds is its owner's alone", "[serve][files]") {
  const TemporaryDirectory directory;
  const std::string data = directory.path() + "/data";
  const auto annex = AnnexProcess::Standalone(data);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    CAPTURE(entry.path());
    struct stat facts {};
    REQUIRE(stat(entry.path().c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777U) == (entry.is_directory() ? 0700U : 0600U));
    files += entry.is_regular_file() ? 1 : 0;
  }
  CHECK(files >= 5);
}

TEST_CASE("wrong command lines name the flag and the remedy, with exit code 2", "[serve][cli]") {
  const TemporaryDirectory directory;
  const std::string data = directory.path() + "/data";
  const struct {
    std::vector<std::string> arguments;
    std::vector<std::string> words;
  } cases[] = {
      {{}, {"subcommand", "--help"}},
      {{"brew"}, {"brew"}},
      {{"serve", "--standalone"}, {"--data-dir"}},
      {{"serve", "--standalone", "--data-dir", data, "--listen", "nowhere"}, {"--listen", "127.0.0.1:8443"}},
      {{"serve", "--standalone", "--data-dir", data, "--listen", "127.0.0.1:70000"}, {"--listen"}},
      {{"serve", "--standalone", "--data-dir", data, "--kubeconfig", "x"}, {"--standalone", "--kubeconfig"}},
      {{"serve", "--data-dir", data}, {"--definitions", "--standalone"}},
      {{"serve", "--standalone", "--data-dir", data, "--definitions", "/nowhere/at/all"},
       {"--definitions", "/nowhere/at/all"}},
      {{"serve", "--standalone", "--data-dir", data, "--tls-cert-file", "x"}, {"--tls-private-key-file"}},
      {{"serve", "--standalone", "--data-dir", data, "--history-mib", "many"}, {"--history-mib", "many"}},
      {{"serve", "--standalone", "--data-dir", data, "--logging-format", "xml"},
       {"--logging-format", "json"}},
      {{"serve", "--standalone", "--data-dir", data, "--colour"}, {"--colour"}},
  };
  for (const auto& wrong : cases) {
    AnnexProcess annex(wrong.arguments);
    CHECK(annex.Wait() == 2);
    const std::string output = annex.Output();
    for (const std::string& word : wrong.words) CHECK_THAT(output, Catch::Contains(word));
  }
  CHECK_FALSE(std::filesystem::exists(data));
}

TEST_CASE("what cannot be served with ends the process with code 1 and says what to do", "[serve][cli]") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "x";
  AnnexProcess no_directory({"serve", "--standalone", "--data-dir", file, "--listen", "127.0.0.1:0"});
  CHECK(no_directory.Wait() == 1);
  CHECK_THAT(no_directory.Output(), Catch::Contains(file));

  const auto annex = AnnexProcess::Standalone(directory.path() + "/first");
  const std::string taken = "127.0.0.1:" + std::to_string(annex->port());
  AnnexProcess same_port(
      {"serve", "--standalone", "--data-dir", directory.path() + "/second", "--listen", taken});
  CHECK(same_port.Wait() == 1);
  CHECK_THAT(same_port.Output(), Catch::Contains(taken));
}

TEST_CASE("the program tells its version and its flags", "[cli]") {
  for (const std::string argument : {"version", "--version"}) {
    AnnexProcess annex({argument});
    CHECK(annex.Wait() == 0);
    CHECK_THAT(annex.Output(), Catch::StartsWith("annex "));
  }
  AnnexProcess help({"serve", "--help"});
  CHECK(help.Wait() == 0);
  CHECK_THAT(help.Output(), Catch::Contains("--data-dir") && Catch::Contains("--listen"));
}

}  // namespace annex::test
