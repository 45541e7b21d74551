#include "annex/json/field_error.h"

#include "annex/base/strings.h"
#include "annex/json/float_text.h"
#include "annex/json/write.h"

#include <iterator>

namespace annex::json {
namespace {

struct TypeWords {
  const char* reason;  // on the wire, metav1.CauseType
  const char* text;    // in messages
};

TypeWords Words(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::kRequired:
      return {"FieldValueRequired", "Required value"};
    case FieldErrorType::kInvalid:
      return {"FieldValueInvalid", "Invalid value"};
    case FieldErrorType::kTypeInvalid:
      return {"FieldValueTypeInvalid", "Invalid value"};
    case FieldErrorType::kNotSupported:
      return {"FieldValueNotSupported", "Unsupported value"};
    case FieldErrorType::kForbidden:
      return {"FieldValueForbidden", "Forbidden"};
    case FieldErrorType::kDuplicate:
      return {"FieldValueDuplicate", "Duplicate value"};
    case FieldErrorType::kTooLong:
      return {"FieldValueTooLong", "Too long"};
    case FieldErrorType::kTooMany:
      return {"FieldValueTooMany", "Too many"};
    case FieldErrorType::kNotFound:
      return {"FieldValueNotFound", "Not found"};
    case FieldErrorType::kInternal:
      return {"InternalError", "Internal error"};
  }
  return {"InternalError", "Internal error"};
}

FieldError Make(FieldErrorType type, const FieldPath& path, std::string_view detail) {
  std::string body = Words(type).text;
  if (!detail.empty()) body.append(": ").append(detail);
  return {type, path.Text(), std::move(body)};
}

FieldError MakeWithValue(FieldErrorType type, const FieldPath& path, const Value& value,
                         std::string_view detail) {
  std::string body = Words(type).text;
  body.append(": ").append(ShowValue(value));
  if (!detail.empty()) body.append(": ").append(detail);
  return {type, path.Text(), std::move(body)};
}

}  // namespace

FieldPath FieldPath::Child(std::string_view name) const {
  if (text_.empty()) return FieldPath(std::string(name));
  std::string text;
  text.reserve(text_.size() + 1 + name.size());
  text.append(text_).append(".").append(name);
  return FieldPath(std::move(text));
}

FieldPath FieldPath::Index(std::size_t index) const {
  return FieldPath(text_ + '[' + std::to_string(index) + ']');
}

FieldPath FieldPath::Key(std::string_view key) const {
  return FieldPath(text_ + '[' + std::string(key) + ']');
}

const std::string& FieldPath::Text() const {
  static const std::string kNil = "<nil>";
  return text_.empty() ? kNil : text_;
}

std::string FieldError::Message() const {
  return field + ": " + body;
}

base::Cause FieldError::ToCause() const {
  return {Words(type).reason, body, field};
}

std::string ShowValue(const Value& value) {
  if (value.is_string()) return base::Quote(value.get_ref<const std::string&>());
  if (!value.is_number_float()) return ToJson(value);
  // Go prints a number by itself with %v and not as JSON: 1e+06.
  std::string text;
  AppendFloat(text, value.get<double>());
  return text;
}

FieldError RequiredError(const FieldPath& path, std::string_view detail) {
  return Make(FieldErrorType::kRequired, path, detail);
}
FieldError InvalidError(const FieldPath& path, const Value& value, std::string_view detail) {
  return MakeWithValue(FieldErrorType::kInvalid, path, value, detail);
}
FieldError TypeInvalidError(const FieldPath& path, const Value& value, std::string_view detail) {
  return MakeWithValue(FieldErrorType::kTypeInvalid, path, value, detail);
}
FieldError ForbiddenError(const FieldPath& path, std::string_view detail) {
  return Make(FieldErrorType::kForbidden, path, detail);
}
FieldError DuplicateError(const FieldPath& path, const Value& value) {
  return MakeWithValue(FieldErrorType::kDuplicate, path, value, {});
}
FieldError NotFoundError(const FieldPath& path, const Value& value) {
  return MakeWithValue(FieldErrorType::kNotFound, path, value, {});
}

FieldError NotSupportedError(const FieldPath& path, const Value& value,
                             const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& choice : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += base::Quote(choice);
  }
  return MakeWithValue(FieldErrorType::kNotSupported, path, value, detail);
}

FieldError TooLongError(const FieldPath& path, std::int64_t max_length) {
  const std::string detail =
      "may not be more than " + std::to_string(max_length) + (max_length == 1 ? " byte" : " bytes");
  return Make(FieldErrorType::kTooLong, path, detail);
}

FieldError TooManyError(const FieldPath& path, std::int64_t actual, std::int64_t max) {
  const std::string detail = "must have at most " + std::to_string(max) + (max == 1 ? " item" : " items");
  return MakeWithValue(FieldErrorType::kTooMany, path, actual, detail);
}

void Append(FieldErrors& to, FieldErrors from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace annex::json
