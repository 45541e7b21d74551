#include "annex/base/status.h"

namespace annex::base {

const char* ReasonText(Reason reason) {
  switch (reason) {
    case Reason::kUnknown:
      return "";
    case Reason::kBadRequest:
      return "BadRequest";
    case Reason::kUnauthorized:
      return "Unauthorized";
    case Reason::kForbidden:
      return "Forbidden";
    case Reason::kNotFound:
      return "NotFound";
    case Reason::kAlreadyExists:
      return "AlreadyExists";
    case Reason::kConflict:
      return "Conflict";
    case Reason::kGone:
      return "Gone";
    case Reason::kExpired:
      return "Expired";
    case Reason::kInvalid:
      return "Invalid";
    case Reason::kTimeout:
      return "Timeout";
    case Reason::kServerTimeout:
      return "ServerTimeout";
    case Reason::kTooManyRequests:
      return "TooManyRequests";
    case Reason::kInternalError:
      return "InternalError";
    case Reason::kServiceUnavailable:
      return "ServiceUnavailable";
    case Reason::kMethodNotAllowed:
      return "MethodNotAllowed";
    case Reason::kNotAcceptable:
      return "NotAcceptable";
    case Reason::kUnsupportedMediaType:
      return "UnsupportedMediaType";
    case Reason::kRequestEntityTooLarge:
      return "RequestEntityTooLarge";
  }
  return "";
}

int HttpStatusCode(Reason reason) {
  switch (reason) {
    case Reason::kUnknown:
      return 500;
    case Reason::kBadRequest:
      return 400;
    case Reason::kUnauthorized:
      return 401;
    case Reason::kForbidden:
      return 403;
    case Reason::kNotFound:
      return 404;
    case Reason::kAlreadyExists:
    case Reason::kConflict:
      return 409;
    case Reason::kGone:
    case Reason::kExpired:
      return 410;
    case Reason::kInvalid:
      return 422;
    case Reason::kTimeout:
      return 504;
    case Reason::kServerTimeout:
      return 500;
    case Reason::kTooManyRequests:
      return 429;
    case Reason::kInternalError:
      return 500;
    case Reason::kServiceUnavailable:
      return 503;
    case Reason::kMethodNotAllowed:
      return 405;
    case Reason::kNotAcceptable:
      return 406;
    case Reason::kUnsupportedMediaType:
      return 415;
    case Reason::kRequestEntityTooLarge:
      return 413;
  }
  return 500;
}

}  // namespace annex::base
