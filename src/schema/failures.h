// Failures: what one validation has found, as kube-apiserver words it (kubeOpenAPIResultToFieldErrors).
//
// Text is made only here, and only until the limits of limits.h are reached; after that failures are merely
// counted.
#pragma once

#include "annex/json/field_error.h"
#include "annex/json/value.h"
#include "limits.h"
#include "path.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace annex::schema {

class Failures {
 public:
  // `field` is where the validated document stands in the object: "" for the object itself, "status".
  // `budget` outlives this.
  Failures(std::string_view field, ErrorBudget& budget) : field_(field), budget_(&budget) {}
  ~Failures();
  Failures(Failures&& other) noexcept;
  Failures& operator=(Failures&& other) noexcept;

  // For what is found in a branch.
  Failures ForBranch() const { return {field_, *budget_}; }

  bool any() const { return count_ > 0; }

  // "PATH in body must be of type EXPECTED: "FOUND"". `shown` is the value in the error.
  void AddType(const PathFrame& at, std::string_view expected, std::string_view found);
  void AddFormat(const PathFrame& at, std::string_view format, const std::string& text);
  void AddRequired(const PathFrame& at);
  void AddNotAllowedValue(const PathFrame& at, const json::Value& value,
                          const std::vector<json::Value>& allowed);
  void AddTooLong(const PathFrame& at, std::int64_t max);
  void AddTooMany(const PathFrame& at, std::size_t count, std::int64_t max);
  // "PATH in body WHAT", for every other check.
  void AddInvalid(const PathFrame& at, const json::Value& shown, std::string_view what);
  // A text that has its path somewhere else.
  void AddInvalidText(const PathFrame& at, const json::Value& shown, std::string_view text);
  // ""PATH" must …": a complaint about branches, which has no field of its own.
  void AddBranches(const PathFrame& at, std::string_view what);

  // Appends what was found in a branch.
  void Merge(Failures other);

  // Forgets what was added since a mark.
  struct Mark {
    std::size_t count;
    std::size_t errors;
  };
  Mark mark() const { return {count_, errors_.size()}; }
  bool AnySince(const Mark& begin) const { return count_ > begin.count; }
  void RollBack(const Mark& begin);

  // The errors, each once.
  json::FieldErrors Take();

 private:
  // Counts one more; false if it is not to be kept.
  bool Count();
  void Add(json::FieldError error);
  json::FieldPath FieldOf(const std::string& path) const;
  // Gives back what the errors from `first` on have taken from the budget.
  void Release(std::size_t first);

  std::string field_;
  ErrorBudget* budget_;
  std::size_t count_ = 0;
  json::FieldErrors errors_;
};

}  // namespace annex::schema
