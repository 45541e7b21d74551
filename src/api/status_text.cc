#include "status_text.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <set>
#include <vector>

namespace annex::api {
namespace {

using base::Reason;
using base::Status;

base::StatusDetails Details(const GroupResource& resource, const std::string& name) {
  base::StatusDetails details;
  details.present = true;
  details.name = name;
  details.group = resource.group;
  details.kind = resource.resource;
  return details;
}

}  // namespace

Status BadRequest(std::string message) {
  return {Reason::kBadRequest, std::move(message)};
}

Status NotFound(const GroupResource& resource, const std::string& name) {
  return {Reason::kNotFound, resource.Text() + " " + base::Quote(name) + " not found",
          Details(resource, name)};
}

Status AlreadyExists(const GroupResource& resource, const std::string& name) {
  return {Reason::kAlreadyExists, resource.Text() + " " + base::Quote(name) + " already exists",
          Details(resource, name)};
}

Status Conflict(const GroupResource& resource, const std::string& name, const std::string& why) {
  return {Reason::kConflict,
          "Operation cannot be fulfilled on " + resource.Text() + " " + base::Quote(name) + ": " + why,
          Details(resource, name)};
}

Status ObjectModified(const GroupResource& resource, const std::string& name) {
  return Conflict(
      resource, name,
      "the object has been modified; please apply your changes to the latest version and try again");
}

Status UidPrecondition(const GroupResource& resource, const std::string& key, const std::string& name,
                       const std::string& wanted, const std::string& found) {
  return Conflict(resource, name,
                  "StorageError: invalid object, Code: 4, Key: /registry/" + resource.group + "/" +
                      resource.resource + "/" + key +
                      ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
                      wanted + ", UID in object meta: " + found);
}

Status Forbidden(const GroupResource& resource, const std::string& name, const std::string& why) {
  std::string message = resource.Text();
  if (!name.empty()) message += " " + base::Quote(name);
  return {Reason::kForbidden, message + " is forbidden: " + why, Details(resource, name)};
}

// All errors in one message, equal ones once: `msg` or `[msg, msg]`.
Status Invalid(const std::string& group, const std::string& kind, const std::string& name,
               const json::FieldErrors& errors) {
  std::vector<std::string> messages;
  std::set<std::string> seen;
  base::StatusDetails details = Details({group, kind}, name);
  for (const json::FieldError& error : errors) {
    std::string message = error.Message();
    details.causes.push_back(error.ToCause());
    if (seen.insert(message).second) messages.push_back(std::move(message));
  }
  const std::string text = messages.size() == 1 ? messages[0] : "[" + base::Join(messages, ", ") + "]";
  return {Reason::kInvalid,
          GroupResource{group, kind}.Text() + " " + base::Quote(name) + " is invalid: " + text,
          std::move(details)};
}

Status MethodNotSupported(const GroupResource& resource, const std::string& verb) {
  Status status{Reason::kMethodNotAllowed,
                verb + " is not supported on resources of kind " + base::Quote(resource.Text())};
  status.details = Details(resource, "");
  return status;
}

namespace {

Status WithEmptyDetails(Reason reason, std::string message) {
  Status status{reason, std::move(message)};
  status.details.present = true;
  return status;
}

}  // namespace

Status NoSuchResource() {
  return WithEmptyDetails(Reason::kNotFound, "the server could not find the requested resource");
}

Status MethodNotAllowed() {
  return WithEmptyDetails(Reason::kMethodNotAllowed,
                          "the server does not allow this method on the requested resource");
}

Status NoSuchContent() {
  return WithEmptyDetails(Reason::kUnsupportedMediaType, "415: Unsupported Media Type");
}

Status NoSuchRepresentation(const std::string& available) {
  return WithEmptyDetails(Reason::kNotAcceptable,
                          "406: Not Acceptable\n\nAvailable representations: " + available);
}

Status InternalError(const std::string& why) {
  Status status{Reason::kInternalError, "Internal error occurred: " + why};
  status.details.present = true;
  status.details.causes.push_back({"", why, ""});
  return status;
}

Status Unspecified(std::string message) {
  return {Reason::kUnknown, std::move(message)};
}

Status ResourceVersionTooLarge(std::string_view wanted, std::int64_t current) {
  Status status{Reason::kTimeout, "Timeout: Too large resource version: " + std::string(wanted) +
                                      ", current: " + std::to_string(current)};
  status.details.present = true;
  status.details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  status.details.retry_after_seconds = 1;
  return status;
}

Status GenerateNameConflict(const GroupResource& resource, const std::string& name) {
  Status status = AlreadyExists(resource, name);
  status.message += ", the server was not able to generate a unique name for the object";
  status.details.retry_after_seconds = 1;
  return status;
}

Status RequestEntityTooLarge(std::size_t limit) {
  return {Reason::kRequestEntityTooLarge, "Request entity too large: limit is " + std::to_string(limit)};
}

Status ExpiredList(std::string message) {
  return {Reason::kExpired, std::move(message)};
}

std::string KindNotRegistered(const std::string& kind, const std::string& api_version) {
  return "no kind " + base::Quote(kind) + " is registered for version " + base::Quote(api_version) +
         " in scheme \"pkg/runtime/scheme.go:110\"";
}

std::string ParseUintProblem(std::string_view text) {
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return "strconv.ParseUint: parsing " + base::Quote(text) +
         (digits ? ": value out of range" : ": invalid syntax");
}

base::Status TryAgain(std::string message) {
  base::Status status{base::Reason::kTooManyRequests, std::move(message)};
  status.details.present = true;
  status.details.retry_after_seconds = 1;
  return status;
}

base::Status StorageNotReady(const std::string& api_version, const std::string& kind,
                             const std::string& why) {
  return TryAgain("storage is (re)initializing: failed to list " + api_version + ", Kind=" + kind + ": " +
                  why);
}

}  // namespace annex::api
