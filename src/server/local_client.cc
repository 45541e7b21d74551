#include "local_client.h"

#include "annex/auth/user.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <future>
#include <memory>
#include <utility>

namespace annex::server {

namespace {

auth::User Self() {
  auth::User user;
  user.name = "system:annex";
  user.groups = {std::string(auth::kMastersGroup), std::string(auth::kAuthenticatedGroup)};
  return user;
}

}  // namespace

base::Result<LocalClient::Answer> LocalClient::Call(const std::string& method, const std::string& target,
                                                    const json::Value& body) {
  auto request = std::make_shared<api::Request>();
  request->method = method;
  request->target = target;
  request->headers.Add("user-agent", "annex/" ANNEX_VERSION);
  request->headers.Add("content-type", "application/json");
  if (!body.is_null()) request->body = json::ToJson(body);
  request->peer = std::make_shared<auth::Peer>();
  request->remote_address = "local";
  request->executor = &executor_;
  std::promise<api::Response> promise;
  executor_.Post([&] {
    tasks_.Spawn<api::Response>(
        service_.ServeLocally(std::move(*request), Self()),
        [&promise](api::Response response) { promise.set_value(std::move(response)); });
  });
  const api::Response response = promise.get_future().get();
  ANNEX_TRY(json::Value parsed, json::Parse(response.body));
  return Answer{response.status, std::move(parsed)};
}

}  // namespace annex::server
