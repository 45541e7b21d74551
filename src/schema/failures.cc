// k8s.io/kube-openapi/pkg/validation/errors and pkg/apiserver/validation/validation.go.
#include "failures.h"

#include "annex/base/strings.h"
#include "annex/json/write.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace annex::schema {

using json::FieldError;
using json::FieldErrors;
using json::FieldPath;
using json::Value;

namespace {

std::size_t SizeOf(const FieldError& error) {
  return error.field.size() + error.body.size();
}

}  // namespace

Failures::~Failures() {
  Release(0);
}

Failures::Failures(Failures&& other) noexcept
    : field_(std::move(other.field_)),
      budget_(other.budget_),
      count_(std::exchange(other.count_, 0)),
      errors_(std::exchange(other.errors_, {})) {}

Failures& Failures::operator=(Failures&& other) noexcept {
  if (this == &other) return *this;
  Release(0);
  field_ = std::move(other.field_);
  budget_ = other.budget_;
  count_ = std::exchange(other.count_, 0);
  errors_ = std::exchange(other.errors_, {});
  return *this;
}

bool Failures::Count() {
  ++count_;
  return budget_->errors > 0 && budget_->bytes > 0;
}

void Failures::Add(FieldError error) {
  --budget_->errors;
  budget_->bytes -= std::min(budget_->bytes, SizeOf(error));
  errors_.push_back(std::move(error));
}

void Failures::Release(std::size_t first) {
  for (std::size_t i = first; i < errors_.size(); ++i) {
    ++budget_->errors;
    budget_->bytes += SizeOf(errors_[i]);
  }
  errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(first), errors_.end());
}

FieldPath Failures::FieldOf(const std::string& path) const {
  const std::string_view name =
      path.starts_with('.') ? std::string_view(path).substr(1) : std::string_view(path);
  if (name.empty()) return FieldPath(field_);
  return FieldPath(field_).Child(name);
}

void Failures::AddType(const PathFrame& at, std::string_view expected, std::string_view found) {
  if (!Count()) return;
  const std::string path = OpenApiPath(at);
  std::string text = path + " in body must be of type ";
  text.append(expected).append(": ").append(base::Quote(found));
  Add(json::TypeInvalidError(FieldOf(path), found, text));
}

void Failures::AddFormat(const PathFrame& at, std::string_view format, const std::string& text) {
  AddType(at, format, text);
}

void Failures::AddRequired(const PathFrame& at) {
  if (Count()) Add(json::RequiredError(FieldOf(OpenApiPath(at))));
}

void Failures::AddNotAllowedValue(const PathFrame& at, const Value& value,
                                  const std::vector<Value>& allowed) {
  if (!Count()) return;
  std::vector<std::string> texts;
  texts.reserve(allowed.size());
  for (const Value& item : allowed)
    texts.push_back(item.is_string() ? item.get<std::string>() : json::ToJson(item));
  Add(json::NotSupportedError(FieldOf(OpenApiPath(at)), value, texts));
}

void Failures::AddTooLong(const PathFrame& at, std::int64_t max) {
  if (Count()) Add(json::TooLongError(FieldOf(OpenApiPath(at)), max));
}

void Failures::AddTooMany(const PathFrame& at, std::size_t count, std::int64_t max) {
  if (Count()) Add(json::TooManyError(FieldOf(OpenApiPath(at)), static_cast<std::int64_t>(count), max));
}

void Failures::AddInvalid(const PathFrame& at, const Value& shown, std::string_view what) {
  if (!Count()) return;
  const std::string path = OpenApiPath(at);
  std::string text = path + " in body ";
  text.append(what);
  Add(json::InvalidError(FieldOf(path), shown, text));
}

void Failures::AddInvalidText(const PathFrame& at, const Value& shown, std::string_view text) {
  if (Count()) Add(json::InvalidError(FieldOf(OpenApiPath(at)), shown, text));
}

void Failures::AddBranches(const PathFrame& at, std::string_view what) {
  if (!Count()) return;
  std::string text = base::Quote(OpenApiPath(at));
  text.append(" ").append(what);
  Add(json::InvalidError(FieldPath(field_), "", text));
}

void Failures::Merge(Failures other) {
  count_ += other.count_;
  // The errors stay counted in the budget.
  json::Append(errors_, std::exchange(other.errors_, {}));
}

void Failures::RollBack(const Mark& begin) {
  count_ = begin.count;
  Release(begin.errors);
}

FieldErrors Failures::Take() {
  std::unordered_set<std::string> seen;
  FieldErrors unique;
  for (const FieldError& error : errors_) {
    if (seen.insert(error.Message()).second) unique.push_back(error);
  }
  return unique;
}

}  // namespace annex::schema
