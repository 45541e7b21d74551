// Status: why an operation failed, in the vocabulary of the Kubernetes API.
//
// Every layer reports failures with these reasons, because every failure that matters leaves the server as a
// metav1.Status (API conventions, "Response Status Kind"). A layer states the reason and the facts that it
// knows; src/api/status_text.cc adds group, resource and name and words the message for clients.
//
// Thread rule: a value type. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace annex::base {

// metav1.StatusReason. kUnknown is the reason "" that kube-apiserver sends with HTTP 500 for an error that no
// layer turned into a Status.
enum class Reason : std::uint8_t {
  kUnknown,
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kInvalid,
  kTimeout,
  kServerTimeout,
  kTooManyRequests,
  kInternalError,
  kServiceUnavailable,
  kMethodNotAllowed,
  kNotAcceptable,
  kUnsupportedMediaType,
  kRequestEntityTooLarge,
};

// The word on the wire, such as "NotFound"; "" for kUnknown.
const char* ReasonText(Reason reason);

// The HTTP status code that goes with a reason. The only such table in the program.
int HttpStatusCode(Reason reason);

// metav1.StatusCause. An empty member is left out of the body.
struct Cause {
  std::string reason;
  std::string message;
  std::string field;
  bool operator==(const Cause&) const = default;
};

// metav1.StatusDetails. `present` tells an empty `details: {}` from no details at all.
struct StatusDetails {
  bool present = false;
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<Cause> causes;
  std::int32_t retry_after_seconds = 0;
};

struct Status {
  Reason reason = Reason::kUnknown;
  std::string message;
  StatusDetails details = {};
  // Continue token that goes into the Status' ListMeta: only with 410 Expired of a paged list.
  std::string continue_token = {};
};

}  // namespace annex::base
