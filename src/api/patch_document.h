// A PATCH's body: reading it and applying it to the JSON of an object.
#pragma once

#include "annex/base/result.h"
#include "annex/json/read.h"
#include "annex/json/value.h"
#include "context.h"
#include "options.h"
#include "strategic_merge.h"

#include <string>
#include <vector>

namespace annex::api {

// A patched object that cannot be read is shown whole.
base::Status UnreadablePatch(const json::Value& patched, const std::string& why);

class PatchDocument {
 public:
  // Whether the Content-Type is that of an apply (application/apply-patch+yaml) or one that Read understands:
  // application/json-patch+json, application/merge-patch+json or, for built-in types,
  // application/strategic-merge-patch+json. Errors: UnsupportedMediaType.
  static base::Result<void> CheckType(const Context& context);
  // Whether it is an apply, which is no PatchDocument (apply_document.h).
  static bool IsApply(const Context& context);
  // REQUIRES: CheckType and not IsApply. Errors: BadRequest, RequestEntityTooLarge.
  static base::Result<PatchDocument> Read(const Context& context, FieldValidation validation);

  // The patched object. Errors: Invalid, with the one text that kube-apiserver has for all operations that
  // fail.
  base::Result<json::Value> Apply(const json::Value& existing) const;

  // What a strict reader says of the body itself: keys that occur twice.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  enum class Kind : std::uint8_t { kJsonPatch, kMergePatch, kStrategicMergePatch };

  // What is said of a body that cannot be decoded because of `why`. `brief`: unknown fields do not matter.
  base::Status Undecodable(std::string why, bool brief) const;
  base::Result<void> CheckOperations(const json::ReadReport& report, bool brief);
  base::Result<void> CheckMerge(const json::ReadReport& report, bool brief);

  Kind kind_ = Kind::kMergePatch;
  json::Value patch_;
  std::vector<MergedList> lists_;  // kStrategicMergePatch
  std::vector<std::string> complaints_;
};

}  // namespace annex::api
