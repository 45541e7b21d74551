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

base::Task<base::Result<LocalClient::Answer>> LocalClient::Send(std::string method, std::string target,
                                                                json::Value body) {
  api::Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers.Add("user-agent", "annex/" ANNEX_VERSION);
  request.headers.Add("content-type", "application/json");
  if (!body.is_null()) request.body = json::ToJson(body);
  request.peer = std::make_shared<auth::Peer>();
  request.remote_address = "local";
  request.executor = &executor_;
  auth::User self = Self();
  const api::Response response = co_await service_.ServeLocally(std::move(request), std::move(self));
  ANNEX_CO_TRY(json::Value parsed, json::Parse(response.body));
  co_return Answer{response.status, std::move(parsed)};
}

base::Result<LocalClient::Answer> LocalClient::Call(const std::string& method, const std::string& target,
                                                    const json::Value& body) {
  std::promise<base::Result<Answer>> promise;
  executor_.Post([&] {
    tasks_.Spawn<base::Result<Answer>>(Send(method, target, body), [&promise](base::Result<Answer> answer) {
      promise.set_value(std::move(answer));
    });
  });
  return promise.get_future().get();
}

}  // namespace annex::server
