#include "annex/schema/schema.h"

#include "annex/schema/node.h"
#include "coerce.h"
#include "compile.h"
#include "default.h"
#include "embedded.h"
#include "fits.h"
#include "list_type.h"
#include "prune.h"
#include "validator.h"

#include <optional>
#include <utility>

namespace annex::schema {
namespace {

using json::FieldErrors;
using json::Value;

// The messages of a few errors; a schema with more is not worth listing.
std::string Summary(const FieldErrors& errors) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kShown; ++i) {
    if (i > 0) text += "; ";
    text += errors[i].Message();
  }
  if (errors.size() > kShown) text += "; and " + std::to_string(errors.size() - kShown) + " more";
  return text;
}

}  // namespace

base::Result<std::shared_ptr<const Schema>> Schema::Compile(const Value& open_api_v3_schema) {
  ANNEX_TRY(auto root, ReadNode(open_api_v3_schema));
  const FieldErrors errors = FindNotStructural(open_api_v3_schema, {}, PatternCheck::kSkip);
  if (!errors.empty()) return base::Error(base::Reason::kInvalid, "not structural: " + Summary(errors));
  ANNEX_RETURN_IF_ERROR(PruneDefaults(*root));
  Summarize(*root);
  return std::shared_ptr<const Schema>(new Schema(std::move(root)));
}

Schema::Schema(std::unique_ptr<const Node> root) : root_(std::move(root)) {}

Schema::~Schema() = default;

base::Result<void> Schema::Coerce(Value& object, MalformedFields malformed,
                                  std::vector<std::string>* unknown_fields) const {
  ANNEX_RETURN_IF_ERROR(CoerceObjectMeta(object, malformed, "", unknown_fields));
  PruneObject(object, *root_, unknown_fields);
  PruneNulls(object, *root_);
  ANNEX_RETURN_IF_ERROR(CoerceEmbedded(object, *root_, {malformed, false}, unknown_fields));
  Value* metadata = json::Find(object, "metadata");
  if (malformed == MalformedFields::kDrop && metadata != nullptr) metadata->emplace("generation", 1);
  return {};
}

base::Result<void> Schema::Default(Value& object) const {
  return SetDefaults(object, *root_);
}

FieldErrors Schema::Validate(const Value& object) const {
  if (Fits(*root_, object)) return {};
  return Explain(*root_, object, "", nullptr);
}

FieldErrors Schema::ValidateUpdate(const Value& object, const Value& old_object) const {
  if (Fits(*root_, object)) return {};
  Correlated correlated(object, &old_object, *root_);
  return Explain(*root_, object, "", &correlated);
}

FieldErrors Schema::ValidateStatusUpdate(const Value& object, const Value& old_object) const {
  const auto node = root_->properties.find("status");
  const Value* status = json::Find(object, "status");
  if (node == root_->properties.end() || status == nullptr || Fits(node->second, *status)) return {};
  Correlated correlated(*status, json::Find(old_object, "status"), node->second);
  return Explain(node->second, *status, "status", &correlated);
}

FieldErrors Schema::ValidateEmbedded(const Value& object) const {
  return CheckEmbedded(object, *root_);
}

FieldErrors Schema::ValidateListTypes(const Value& object) const {
  return FindDuplicates(object, *root_);
}

bool Schema::HasDefaults() const {
  return root_->defaults_below;
}

}  // namespace annex::schema
