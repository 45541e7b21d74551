#include "annex/kube/reflector.h"

#include "annex/base/log.h"
#include "annex/kube/backoff.h"

#include <optional>
#include <utility>
#include <vector>

namespace annex::kube {
namespace {

// As client-go's reflector, but no longer than five seconds: what is followed is little, and some of it
// nobody is served without.
constexpr Backoff::Options kBackoff{std::chrono::milliseconds(800), 2.0, 1.0, std::chrono::seconds(5)};
constexpr int kPageSize = 500;
// A watch asks the server to end it after this long (seconds), plus up to as much again as kWatchSpread.
constexpr std::uint64_t kWatchSeconds = 240;
constexpr std::uint64_t kWatchSpread = 60;

}  // namespace

Reflector::Reflector(Client& client, Options options, base::Random& random, base::Executor& executor)
    : client_(client), options_(std::move(options)), random_(random), executor_(executor) {}

base::Task<void> Reflector::Run(Handlers handlers) {
  Backoff backoff(kBackoff);
  while (true) {
    auto listed = co_await List(handlers);
    base::Result<void> followed;
    if (listed) {
      // A watch that ends in order goes on where it ended.
      while (followed) {
        const auto begin = std::chrono::steady_clock::now();
        followed = co_await Watch(handlers, *listed);
        // One that ends at once is a server in trouble.
        if (followed && std::chrono::steady_clock::now() - begin < kBackoff.first) {
          co_await base::Sleep(executor_, backoff.Next(random_));
        } else if (followed) {
          backoff.Reset();
        }
      }
    }
    const base::Status& why = listed ? followed.error() : listed.error();
    if (why.reason == base::Reason::kExpired) continue;
    base::LogWarning("Following a resource of the cluster failed; trying again",
                     {{"path", options_.path}, {"error", why.message}});
    co_await base::Sleep(executor_, backoff.Next(random_));
  }
}

std::string Reflector::Target(const std::string& parameters) const {
  std::string target = options_.path + "?" + parameters;
  if (!options_.field_selector.empty()) target += "&fieldSelector=" + options_.field_selector;
  return target;
}

base::Task<base::Result<std::string>> Reflector::List(const Handlers& handlers) {
  handlers.on_begin();
  std::string continue_token;
  while (true) {
    Client::Call call;
    call.method = "GET";
    call.target = Target("limit=" + std::to_string(kPageSize));
    if (!continue_token.empty()) call.target += "&continue=" + EscapeQuery(continue_token);
    if (options_.metadata_only)
      call.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    ANNEX_CO_TRY(const Answer answer, co_await client_.Send(std::move(call), executor_));
    if (!answer.ok()) {
      const auto reason = answer.status == 410 ? base::Reason::kExpired : base::Reason::kServiceUnavailable;
      co_return base::Error(reason, "list: " + answer.Message());
    }
    for (const json::Value& object : json::ItemsAt(answer.body, {"items"})) handlers.on_object(object, false);
    continue_token = json::TextAt(answer.body, {"metadata", "continue"});
    if (continue_token.empty()) {
      handlers.on_synced();
      co_return json::TextAt(answer.body, {"metadata", "resourceVersion"});
    }
  }
}

base::Task<base::Result<void>> Reflector::Watch(const Handlers& handlers, std::string& resource_version) {
  const std::uint64_t seconds = kWatchSeconds + random_.Below(kWatchSpread);
  Client::Call call;
  call.method = "GET";
  call.target = Target("watch=true&allowWatchBookmarks=true&resourceVersion=" + resource_version +
                       "&timeoutSeconds=" + std::to_string(seconds));
  if (options_.metadata_only) call.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const Client::OnEvent on_event = [&](json::Value event) -> base::Task<base::Result<void>> {
    const std::string& type = json::TextAt(event, {"type"});
    const json::Value* object = json::Find(event, "object");
    if (object == nullptr)
      co_return base::Error(base::Reason::kServiceUnavailable, "an event without an object");
    if (type == "ERROR") {
      const bool expired = json::IntegerAt(*object, {"code"}) == 410;
      co_return base::Error(expired ? base::Reason::kExpired : base::Reason::kServiceUnavailable,
                            "watch: " + json::TextAt(*object, {"message"}));
    }
    resource_version = json::TextAt(*object, {"metadata", "resourceVersion"});
    if (type != "BOOKMARK") handlers.on_object(*object, type == "DELETED");
    co_return base::Result<void>();
  };
  co_return co_await client_.Watch(std::move(call), on_event, executor_);
}

}  // namespace annex::kube
