// anyOf, oneOf, allOf and not (k8s.io/kube-openapi/pkg/validation/validate/schema_props.go).
//
// Inside a branch nothing ratchets: a branch is judged by all that it finds, or the choice among the branches
// would change.
#include "fits.h"
#include "validator.h"

#include <optional>
#include <string>
#include <utility>

namespace annex::schema {
namespace {

using json::Value;

struct BranchResult {
  Failures failures;
  std::int64_t matches;
};

BranchResult RunBranch(const Node& branch, const Value& value, const PathFrame& at, const Failures& outer) {
  BranchResult result{outer.ForBranch(), 0};
  result.matches = Validator(result.failures).Validate(branch, value, at, nullptr);
  return result;
}

void KeepBest(std::optional<BranchResult>& best, BranchResult result) {
  if (!best || result.matches > best->matches) best = std::move(result);
}

}  // namespace

std::int64_t Validator::ValidateBranches(const Node& node, const Value& value, const PathFrame& at) {
  std::int64_t matches = 1;
  if (!node.any_of.empty()) matches += ValidateAnyOf(node, value, at);
  if (!node.one_of.empty()) matches += ValidateOneOf(node, value, at);
  if (!node.all_of.empty()) matches += ValidateAllOf(node, value, at);
  if (node.not_schema && Fits(*node.not_schema, value))
    failures_.AddBranches(at, "must not validate the schema (not)");
  return matches;
}

std::int64_t Validator::ValidateAnyOf(const Node& node, const Value& value, const PathFrame& at) {
  std::optional<BranchResult> best;
  for (const Node& branch : node.any_of) {
    BranchResult result = RunBranch(branch, value, at, failures_);
    if (!result.failures.any()) return result.matches;
    KeepBest(best, std::move(result));
  }
  failures_.AddBranches(at, "must validate at least one schema (anyOf)");
  failures_.Merge(std::move(best->failures));
  return best->matches;
}

std::int64_t Validator::ValidateOneOf(const Node& node, const Value& value, const PathFrame& at) {
  std::optional<BranchResult> best;
  std::int64_t first_matches = 0;
  int valid = 0;
  for (const Node& branch : node.one_of) {
    BranchResult result = RunBranch(branch, value, at, failures_);
    if (result.failures.any()) {
      if (valid == 0) KeepBest(best, std::move(result));
    } else if (++valid == 1) {
      first_matches = result.matches;
    }
  }
  if (valid == 1) return first_matches;
  if (valid > 1) {
    failures_.AddBranches(at, "must validate one and only one schema (oneOf). Found " +
                                  std::to_string(valid) + " valid alternatives");
    return 0;
  }
  failures_.AddBranches(at, "must validate one and only one schema (oneOf). Found none valid");
  failures_.Merge(std::move(best->failures));
  return best->matches;
}

std::int64_t Validator::ValidateAllOf(const Node& node, const Value& value, const PathFrame& at) {
  std::int64_t matches = 0;
  std::size_t valid = 0;
  for (const Node& branch : node.all_of) {
    const Failures::Mark mark = failures_.mark();
    matches += Validate(branch, value, at, nullptr);
    if (!failures_.AnySince(mark)) ++valid;
  }
  if (valid < node.all_of.size()) {
    failures_.AddBranches(
        at, std::string("must validate all the schemas (allOf)") + (valid == 0 ? ". None validated" : ""));
  }
  return matches;
}

}  // namespace annex::schema
