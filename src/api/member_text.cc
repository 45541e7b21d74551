#include "member_text.h"

#include <algorithm>
#include <array>
#include <span>

namespace annex::api {
namespace {

// The end of the JSON value that begins at `position`.
std::size_t SkipValue(std::string_view json, std::size_t position) {
  std::size_t depth = 0;
  for (; position < json.size(); ++position) {
    switch (json[position]) {
      case '"':
        for (++position; json[position] != '"'; ++position) {
          if (json[position] == '\\') ++position;
        }
        if (depth == 0) return position + 1;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return position;
        if (--depth == 0) return position + 1;
        break;
      case ',':
        if (depth == 0) return position;
        break;
      default:
        break;
    }
  }
  return position;
}

// Calls visit(key, value) for each member of an object, until it returns false.
template <typename Visit>
void ForEachMember(std::string_view json, Visit visit) {
  std::size_t position = 1;
  while (position < json.size() && json[position] == '"') {
    const std::size_t key_end = SkipValue(json, position);
    const std::string_view key = json.substr(position + 1, key_end - position - 2);
    const std::size_t begin = key_end + 1;
    const std::size_t end = SkipValue(json, begin);
    if (!visit(key, MemberText{begin, end})) return;
    position = end + 1;
  }
}

// The fields of metav1's structs, in their order.
constexpr std::array<std::string_view, 15> kObjectMeta = {"name",
                                                          "generateName",
                                                          "namespace",
                                                          "selfLink",
                                                          "uid",
                                                          "resourceVersion",
                                                          "generation",
                                                          "creationTimestamp",
                                                          "deletionTimestamp",
                                                          "deletionGracePeriodSeconds",
                                                          "labels",
                                                          "annotations",
                                                          "ownerReferences",
                                                          "finalizers",
                                                          "managedFields"};
constexpr std::array<std::string_view, 6> kOwnerReference = {
    "apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"};
constexpr std::array<std::string_view, 7> kManagedFieldsEntry = {
    "manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"};
constexpr std::size_t kMostFields = kObjectMeta.size();

// Appends an object with its members in the order of `fields`; what is not among them is left out.
// append(out, key, value) writes a value.
template <typename Append>
void AppendInOrder(std::string& out, std::string_view json, std::span<const std::string_view> fields,
                   Append append) {
  std::array<std::string_view, kMostFields> values;
  ForEachMember(json, [&](std::string_view key, MemberText place) {
    const auto field = std::find(fields.begin(), fields.end(), key);
    if (field != fields.end())
      values[static_cast<std::size_t>(field - fields.begin())] =
          json.substr(place.begin, place.end - place.begin);
    return true;
  });
  char separator = '{';
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (values[i].empty()) continue;
    out += separator;
    out.append("\"").append(fields[i]).append("\":");
    append(out, fields[i], values[i]);
    separator = ',';
  }
  out += separator == '{' ? "{}" : "}";
}

void AppendListInOrder(std::string& out, std::string_view json, std::span<const std::string_view> fields) {
  out += '[';
  std::size_t position = 1;
  while (position < json.size() && json[position] != ']') {
    const std::size_t end = SkipValue(json, position);
    if (position > 1) out += ',';
    AppendInOrder(out, json.substr(position, end - position), fields,
                  [](std::string& text, std::string_view, std::string_view value) { text += value; });
    position = json[end] == ',' ? end + 1 : end;
  }
  out += ']';
}

}  // namespace

std::optional<MemberText> FindMemberText(std::string_view json, std::string_view key) {
  std::optional<MemberText> found;
  ForEachMember(json, [&](std::string_view known, MemberText place) {
    if (known == key) found = place;
    return !found;
  });
  return found;
}

void AppendMetadataInOrder(std::string& out, std::string_view metadata, std::int64_t revision) {
  AppendInOrder(out, metadata, kObjectMeta,
                [revision](std::string& text, std::string_view key, std::string_view value) {
                  if (key == "resourceVersion") {
                    text.append("\"").append(std::to_string(revision)).append("\"");
                  } else if (key == "ownerReferences") {
                    AppendListInOrder(text, value, kOwnerReference);
                  } else if (key == "managedFields") {
                    AppendListInOrder(text, value, kManagedFieldsEntry);
                  } else {
                    text += value;
                  }
                });
}

}  // namespace annex::api
