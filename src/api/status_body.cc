#include "status_body.h"

#include "annex/json/write.h"

namespace annex::api {
namespace {

// Appends `,"key":"text"` for a text that is not empty.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  ~Members() { out_ += '}'; }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  void Text(const char* key, std::string_view text) {
    if (text.empty()) return;
    Key(key);
    json::AppendJsonString(out_, text);
  }
  void Integer(const char* key, std::int64_t number) {
    Key(key);
    out_ += std::to_string(number);
  }
  void Key(const char* key) {
    if (!first_) out_ += ',';
    first_ = false;
    out_.append("\"").append(key).append("\":");
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendDetails(std::string& out, const base::StatusDetails& details) {
  Members members(out);
  members.Text("name", details.name);
  members.Text("group", details.group);
  members.Text("kind", details.kind);
  members.Text("uid", details.uid);
  if (!details.causes.empty()) {
    members.Key("causes");
    out += '[';
    for (std::size_t i = 0; i < details.causes.size(); ++i) {
      if (i > 0) out += ',';
      Members cause(out);
      cause.Text("reason", details.causes[i].reason);
      cause.Text("message", details.causes[i].message);
      cause.Text("field", details.causes[i].field);
    }
    out += ']';
  }
  if (details.retry_after_seconds != 0) members.Integer("retryAfterSeconds", details.retry_after_seconds);
}

}  // namespace

std::string StatusJson(const base::Status& status) {
  std::string out;
  {
    Members members(out);
    members.Text("kind", "Status");
    members.Text("apiVersion", "v1");
    members.Key("metadata");
    {
      Members metadata(out);
      metadata.Text("continue", status.continue_token);
    }
    members.Text("status", "Failure");
    members.Text("message", status.message);
    members.Text("reason", base::ReasonText(status.reason));
    if (status.details.present) {
      members.Key("details");
      AppendDetails(out, status.details);
    }
    members.Integer("code", base::HttpStatusCode(status.reason));
  }
  return out;
}

std::string DeletedStatusJson(const std::string& name, const std::string& group, const std::string& plural,
                              const std::string& uid) {
  std::string out;
  {
    Members members(out);
    members.Text("kind", "Status");
    members.Text("apiVersion", "v1");
    members.Key("metadata");
    out += "{}";
    members.Text("status", "Success");
    members.Key("details");
    base::StatusDetails details;
    details.name = name;
    details.group = group;
    details.kind = plural;
    details.uid = uid;
    AppendDetails(out, details);
  }
  return out;
}

}  // namespace annex::api
