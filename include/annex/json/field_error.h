// FieldError: one thing that is wrong with one field of an object, as k8s.io/apimachinery's validation
// reports it.
//
// A list of them becomes the message and the details.causes of a 422 Invalid Status (api/status_text).
//
// Thread rule: value types.
#pragma once

#include "annex/base/status.h"
#include "annex/json/value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annex::json {

// The path to a field as messages show it: "spec.items[2].name", "metadata.labels[a/b]". Cheap to build only
// on the way to an error: validation appends to one FieldPath and cuts back.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string text) : text_(std::move(text)) {}

  FieldPath Child(std::string_view name) const;
  FieldPath Index(std::size_t index) const;
  // A key of a map: "path[key]".
  FieldPath Key(std::string_view key) const;

  // "<nil>" for the empty path, as Go prints it.
  const std::string& Text() const;
  bool Empty() const { return text_.empty(); }

 private:
  std::string text_;
};

enum class FieldErrorType : std::uint8_t {
  kRequired,
  kInvalid,
  kTypeInvalid,
  kNotSupported,
  kForbidden,
  kDuplicate,
  kTooLong,
  kTooMany,
  kNotFound,
  kInternal,
};

struct FieldError {
  FieldErrorType type;
  std::string field;
  // Everything after "field: ", such as `Invalid value: "x": must be short`.
  std::string body;

  // "field: body"
  std::string Message() const;
  base::Cause ToCause() const;
  bool operator==(const FieldError&) const = default;
};
using FieldErrors = std::vector<FieldError>;

// `detail` may be empty. Values appear as Go prints them: strings quoted, numbers and booleans bare, the rest
// as JSON.
FieldError RequiredError(const FieldPath& path, std::string_view detail = {});
FieldError InvalidError(const FieldPath& path, const Value& value, std::string_view detail);
FieldError TypeInvalidError(const FieldPath& path, const Value& value, std::string_view detail);
FieldError ForbiddenError(const FieldPath& path, std::string_view detail);
FieldError DuplicateError(const FieldPath& path, const Value& value);
FieldError NotFoundError(const FieldPath& path, const Value& value);
// "supported values: …" lists `supported` in the given order.
FieldError NotSupportedError(const FieldPath& path, const Value& value,
                             const std::vector<std::string>& supported);
FieldError TooLongError(const FieldPath& path, std::int64_t max_length);
FieldError TooManyError(const FieldPath& path, std::int64_t actual, std::int64_t max);

// The prefix that kube-apiserver gives every value of `value`'s type in messages ("Invalid value: …" without
// the first words).
std::string ShowValue(const Value& value);

void Append(FieldErrors& to, FieldErrors from);

}  // namespace annex::json
