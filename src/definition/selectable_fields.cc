#include "selectable_fields.h"

#include "annex/base/result.h"
#include "annex/definition/validate.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace annex::definition {
namespace {

using json::FieldErrors;
using json::FieldPath;
using json::Value;

// "." and brackets are tokens of their own, what stands between them is another; a text in single quotes is
// one, whatever it holds.
std::vector<std::string_view> Tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  while (!text.empty()) {
    std::size_t length = 1;
    if (text[0] == '\'') {
      while (length < text.size() && (text[length] != '\'' || text[length - 1] == '\\')) ++length;
      length = std::min(length + 1, text.size());
    } else if (std::string_view(".[]").find(text[0]) == std::string_view::npos) {
      length = std::min(text.find_first_of(".[]"), text.size());
    }
    tokens.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return tokens;
}

struct Found {
  std::string path;  // each field once, in one spelling
  std::string root;
  const Value* schema = nullptr;  // nullptr for a field that may be anything
};

// The schema of the field `name` below another; false if there is none.
bool Descend(Found& found, std::string_view name) {
  constexpr std::string_view kNone = "";
  if (found.schema == nullptr) return false;
  const Value* properties = json::Find(*found.schema, "properties");
  const Value* additional = json::Find(*found.schema, "additionalProperties");
  if (properties != nullptr && properties->is_object() && !properties->empty()) {
    found.schema = json::Find(*properties, name);
    found.path.append(found.path.empty() ? kNone : ".").append(name);
  } else if (additional != nullptr && !additional->is_null()) {
    found.schema = additional->is_object() ? additional : nullptr;
    found.path.append("[").append(name).append("]");
    return true;
  } else {
    return false;
  }
  return found.schema != nullptr;
}

// Follows a path through a schema. Errors: as kube-apiserver has them.
base::Result<Found> Follow(std::string_view text, const Value& schema) {
  Found found{"", "", &schema};
  const auto refuse = [](std::string why) { return base::Error(base::Reason::kInvalid, std::move(why)); };
  const auto tokens = Tokens(text);
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    if (tokens[i] == "[") return refuse("array notation is not allowed");
    if (tokens[i] != ".") return refuse("expected [ or . but got: " + std::string(tokens[i]));
    if (i + 1 == tokens.size()) return refuse("unexpected end of JSON path");
    if (!Descend(found, tokens[i + 1])) return refuse("does not refer to a valid field");
    if (i == 0) found.root = tokens[1];
  }
  return found;
}

bool IsSelectable(const Value* schema) {
  if (schema == nullptr) return false;
  const std::string& type = json::TextAt(*schema, {"type"});
  return type == "string" || type == "boolean" || type == "integer";
}

}  // namespace

FieldErrors CheckSelectableFields(const Value& fields, const Value& schema, const FieldPath& path) {
  FieldErrors errors;
  std::set<std::string> unique;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldPath place = path.Index(i).Child("jsonPath");
    const std::string& text = json::TextAt(fields[i], {"jsonPath"});
    if (text.empty()) {
      errors.push_back(json::RequiredError(place));
      continue;
    }
    const auto found = Follow(text, schema);
    if (!found) {
      errors.push_back(json::InvalidError(place, text, "is an invalid path: " + found.error().message));
      continue;
    }
    if (found->root == "metadata")
      errors.push_back(json::InvalidError(place, text, "must not point to fields in metadata"));
    if (!IsSelectable(found->schema)) {
      errors.push_back(json::InvalidError(place, text,
                                          "must point to a field of type string, boolean or integer. Enum "
                                          "string fields and strings with formats are allowed."));
    }
    if (!unique.insert(found->path).second) errors.push_back(json::DuplicateError(place, text));
  }
  if (unique.size() > kMaxSelectableFields) {
    errors.push_back(json::TooManyError(path, static_cast<std::int64_t>(unique.size()),
                                        static_cast<std::int64_t>(kMaxSelectableFields)));
  }
  return errors;
}

}  // namespace annex::definition
