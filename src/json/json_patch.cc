#include "annex/base/strings.h"
#include "annex/json/patch.h"
#include "annex/json/read.h"
#include "annex/json/write.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace annex::json {
namespace {

constexpr std::string_view kMissing = "missing value";
constexpr std::string_view kInvalidIndex = "invalid index referenced";
constexpr std::string_view kTestFailed = "test failed";

// The word of Go's decoder for a JSON value's type.
std::string_view GoWord(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_number()) return "number";
  if (value.is_boolean()) return "bool";
  return value.is_array() ? "array" : "object";
}

std::string CannotUnmarshal(const Value& value, std::string_view into) {
  std::string text = "json: cannot unmarshal ";
  return text.append(GoWord(value)).append(" into Go ").append(into);
}

bool NestsDeeperThan(const Value& value, std::size_t limit) {
  std::vector<std::pair<const Value*, std::size_t>> open = {{&value, 1}};
  while (!open.empty()) {
    const auto [container, depth] = open.back();
    open.pop_back();
    if (!container->is_structured()) continue;
    if (depth > limit) return true;
    for (const Value& member : *container) {
      if (member.is_structured()) open.emplace_back(&member, depth + 1);
    }
  }
  return false;
}

// The library compares texts, so 1 and 1.0 differ. Numbers in the document have Go's text: 1.0 is "1" there.
bool SameNumber(const Value& actual, const Value& expected) {
  if (actual.is_number_float() == expected.is_number_float()) return actual == expected;
  return actual.is_number_float() && IsWholeNumber(actual.get<double>()) && actual == expected;
}

// REQUIRES: `expected` comes from a patch; its depth bounds the recursion.
bool Equal(const Value& actual, const Value& expected) {
  if (expected.is_object()) {
    if (!actual.is_object() || actual.size() != expected.size()) return false;
    const auto& members = actual.get_ref<const Value::object_t&>();
    const auto& others = expected.get_ref<const Value::object_t&>();
    return std::equal(members.begin(), members.end(), others.begin(), [](const auto& a, const auto& b) {
      return a.first == b.first && Equal(a.second, b.second);
    });
  }
  if (expected.is_array()) {
    if (!actual.is_array()) return false;
    const auto& items = actual.get_ref<const Value::array_t&>();
    const auto& others = expected.get_ref<const Value::array_t&>();
    return std::equal(items.begin(), items.end(), others.begin(), others.end(), Equal);
  }
  if (expected.is_number()) return actual.is_number() && SameNumber(actual, expected);
  return actual == expected;
}

// "~1" is "/", "~0" is "~".
std::string DecodeKey(std::string_view part) {
  std::string key;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char next = part[i] == '~' && i + 1 < part.size() ? part[i + 1] : '\0';
    if (next == '0' || next == '1') {
      key += next == '0' ? '~' : '/';
      ++i;
    } else {
      key += part[i];
    }
  }
  return key;
}

// One patch at work on its own copy of a document. A function that fails leaves its reason in `error_`.
class Patcher {
 public:
  explicit Patcher(Value& document) : document_(document) {}

  bool Apply(const Value& operation) {
    const Value* kind = Find(operation, "op");
    const std::string op = kind != nullptr && kind->is_string() ? kind->get<std::string>() : "unknown";
    if (op == "add") return Add(operation);
    if (op == "remove") return Remove(operation);
    if (op == "replace") return Replace(operation);
    if (op == "move") return Move(operation);
    if (op == "test") return Test(operation);
    if (op == "copy") return Copy(operation);
    return Fail("Unexpected kind: " + op);
  }

  base::Status Error() && { return {reason_, std::move(error_)}; }

 private:
  // A member or item, present or not, of a container that is there. Keys of arrays are still text.
  struct Place {
    Value* container = nullptr;
    std::string key;
  };

  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  bool Fail(std::string message, std::string_view cause) {
    return Fail(std::move(message.append(": ").append(cause)));
  }
  // Puts `message` before the reason that a function gave.
  bool Wrap(std::string message) { return Fail(std::move(message), std::exchange(error_, {})); }

  // ---- Parts of operations

  bool ReadText(const Value& operation, std::string_view field, std::string_view missing, std::string& text) {
    const Value* value = Find(operation, field);
    if (value == nullptr || value->is_null()) return Fail(std::string(missing), kMissing);
    if (!value->is_string()) return Fail(CannotUnmarshal(*value, "value of type string"));
    text = value->get<std::string>();
    return true;
  }
  bool ReadPath(const Value& operation, std::string& path) {
    return ReadText(operation, "path", "operation missing path field", path);
  }
  bool ReadFrom(const Value& operation, std::string& from) {
    return ReadText(operation, "from", "operation, missing from field", from);
  }
  // A missing value counts as null.
  static Value ValueOf(const Value& operation) {
    const Value* value = Find(operation, "value");
    return value == nullptr ? Value() : *value;
  }

  // nullopt where the way to the last part of `path` does not lead through containers.
  std::optional<Place> Locate(std::string_view path) {
    std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    Value* container = &document_;
    while (true) {
      const std::size_t next = path.find('/', slash + 1);
      const std::string key =
          DecodeKey(path.substr(slash + 1, next == std::string_view::npos ? next : next - slash - 1));
      if (next == std::string_view::npos) return Place{container, key};
      Value* found = nullptr;
      if (!Get({container, key}, found) || found == nullptr || !found->is_structured()) return std::nullopt;
      container = found;
      slash = next;
    }
  }

  // ---- Members and items

  bool ParseIndex(const std::string& key, std::int64_t& index) {
    std::string_view digits = key;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    const auto parsed = base::ParseInt64(digits);
    if (parsed) {
      index = *parsed;
      return true;
    }
    if (digits.starts_with('-')) digits.remove_prefix(1);
    const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    return Fail("strconv.Atoi: parsing " + base::Quote(key),
                number ? "value out of range" : "invalid syntax");
  }

  // `index` counts from the end if negative; `size` itself is out of range.
  bool ResolveIndex(std::int64_t& index, std::size_t size) {
    const auto signed_size = static_cast<std::int64_t>(size);
    if (index >= signed_size || index < -signed_size) {
      return Fail("Unable to access invalid index: " + std::to_string(index), kInvalidIndex);
    }
    if (index < 0) index += signed_size;
    return true;
  }

  // nullptr where an object has no such member or the value is null, which is the same to the library.
  bool Get(const Place& place, Value*& found) {
    if (place.container->is_object()) {
      found = Find(*place.container, place.key);
    } else {
      auto& items = place.container->get_ref<Value::array_t&>();
      std::int64_t index = 0;
      if (!ParseIndex(place.key, index) || !ResolveIndex(index, items.size())) return false;
      found = &items[static_cast<std::size_t>(index)];
    }
    if (found != nullptr && found->is_null()) found = nullptr;
    return true;
  }

  bool Insert(const Place& place, Value value) {
    if (place.container->is_object()) {
      (*place.container)[place.key] = std::move(value);
      return true;
    }
    auto& items = place.container->get_ref<Value::array_t&>();
    std::int64_t index = static_cast<std::int64_t>(items.size());
    if (place.key != "-") {
      if (!ParseIndex(place.key, index))
        return Wrap("value was not a proper array index: '" + place.key + "'");
      if (!ResolveIndex(index, items.size() + 1)) return false;
    }
    if (!CountShifts(items.size() - static_cast<std::size_t>(index))) return false;
    items.insert(items.begin() + index, std::move(value));
    return true;
  }

  bool Erase(const Place& place) {
    if (place.container->is_object()) {
      if (place.container->erase(place.key) == 1) return true;
      return Fail("Unable to remove nonexistent key: " + place.key, kMissing);
    }
    auto& items = place.container->get_ref<Value::array_t&>();
    std::int64_t index = 0;
    if (!ParseIndex(place.key, index) || !ResolveIndex(index, items.size())) return false;
    if (!CountShifts(items.size() - static_cast<std::size_t>(index))) return false;
    items.erase(items.begin() + index);
    return true;
  }

  bool CountShifts(std::size_t count) {
    shifts_ += count;
    if (shifts_ <= kMaxPatchShifts) return true;
    reason_ = base::Reason::kRequestEntityTooLarge;
    return Fail("The JSON patch shifts too many array items: the allowed maximum is " +
                std::to_string(kMaxPatchShifts));
  }

  // ---- Operations

  bool Add(const Value& operation) {
    std::string path;
    if (!ReadPath(operation, path)) return Fail("add operation failed to decode path", kMissing);
    const auto place = Locate(path);
    if (!place) return Fail("add operation does not apply: doc is missing path: \"" + path + "\"", kMissing);
    return Insert(*place, ValueOf(operation)) || Wrap("error in add for path: '" + path + "'");
  }

  bool Remove(const Value& operation) {
    std::string path;
    if (!ReadPath(operation, path)) return Fail("remove operation failed to decode path", kMissing);
    const auto place = Locate(path);
    if (!place)
      return Fail("remove operation does not apply: doc is missing path: \"" + path + "\"", kMissing);
    return Erase(*place) || Wrap("error in remove for path: '" + path + "'");
  }

  bool Replace(const Value& operation) {
    std::string path;
    if (!ReadPath(operation, path)) return Wrap("replace operation failed to decode path");
    Value value = ValueOf(operation);
    if (path.empty()) {
      // The library forgets to report anything else.
      if (value.is_structured()) document_ = std::move(value);
      return true;
    }
    const auto place = Locate(path);
    if (!place) return Fail("replace operation does not apply: doc is missing path: " + path, kMissing);
    if (place->container->is_object()) {
      (*place->container)[place->key] = std::move(value);
      return true;
    }
    auto& items = place->container->get_ref<Value::array_t&>();
    std::int64_t index = 0;
    if (!ParseIndex(place->key, index) || !ResolveIndex(index, items.size())) {
      return Fail("replace operation does not apply: doc is missing key: " + path, kMissing);
    }
    items[static_cast<std::size_t>(index)] = std::move(value);
    return true;
  }

  bool Move(const Value& operation) {
    std::string from;
    if (!ReadFrom(operation, from)) return Wrap("move operation failed to decode from");
    const auto source = Locate(from);
    if (!source) return Fail("move operation does not apply: doc is missing from path: " + from, kMissing);
    Value* found = nullptr;
    if (!Get(*source, found)) return Wrap("error in move for path: '" + source->key + "'");
    Value value = found == nullptr ? Value() : std::move(*found);
    if (!Erase(*source)) return Wrap("error in move for path: '" + source->key + "'");
    std::string path;
    if (!ReadPath(operation, path)) return Wrap("move operation failed to decode path");
    const auto place = Locate(path);
    if (!place)
      return Fail("move operation does not apply: doc is missing destination path: " + path, kMissing);
    return Insert(*place, std::move(value)) || Wrap("error in move for path: '" + path + "'");
  }

  bool Test(const Value& operation) {
    std::string path;
    if (!ReadPath(operation, path)) return Wrap("test operation failed to decode path");
    const Value expected = ValueOf(operation);
    const Value* actual = &document_;
    if (!path.empty()) {
      const auto place = Locate(path);
      if (!place) return Fail("test operation does not apply: is missing path: " + path, kMissing);
      Value* found = nullptr;
      if (!Get(*place, found)) return Wrap("error in test for path: '" + path + "'");
      actual = found;
    }
    // Nothing is equal to null; without "value" there is nothing to compare with.
    const bool equal = actual == nullptr ? expected.is_null() : Equal(*actual, expected);
    return (equal && operation.contains("value")) || Fail("testing value " + path + " failed", kTestFailed);
  }

  bool Copy(const Value& operation) {
    std::string from;
    if (!ReadFrom(operation, from)) return Wrap("copy operation failed to decode from");
    const auto source = Locate(from);
    if (!source) return Fail("copy operation does not apply: doc is missing from path: " + from, kMissing);
    Value* found = nullptr;
    if (!Get(*source, found)) return Wrap("error in copy for from: '" + from + "'");
    std::string path;
    if (!ReadPath(operation, path)) return Fail("copy operation failed to decode path", kMissing);
    const auto place = Locate(path);
    if (!place)
      return Fail("copy operation does not apply: doc is missing destination path: " + path, kMissing);
    Value value;
    if (found != nullptr) {
      if (NestsDeeperThan(*found, kMaxDepth)) return Fail("exceeded max depth");
      copied_bytes_ += ToJson(*found).size();
      value = *found;
    }
    if (copied_bytes_ > kMaxPatchCopyBytes) {
      return Fail("Unable to complete the copy, the accumulated size increase of copy is " +
                  std::to_string(copied_bytes_) + ", exceeding the limit " +
                  std::to_string(kMaxPatchCopyBytes));
    }
    return Insert(*place, std::move(value)) || Wrap("error while adding value during copy");
  }

  Value& document_;
  std::size_t copied_bytes_ = 0;
  std::size_t shifts_ = 0;
  base::Reason reason_ = base::Reason::kInvalid;
  std::string error_;
};

}  // namespace

base::Result<void> ApplyJsonPatch(Value& target, const Value& patch) {
  if (patch.is_null()) return {};
  if (!patch.is_array()) {
    return base::Error(base::Reason::kBadRequest, CannotUnmarshal(patch, "value of type jsonpatch.Patch"));
  }
  for (const Value& operation : patch) {
    if (operation.is_object() || operation.is_null()) continue;
    return base::Error(base::Reason::kBadRequest,
                       CannotUnmarshal(operation, "value of type jsonpatch.Operation"));
  }
  if (patch.size() > kMaxPatchOperations) {
    return base::Error(base::Reason::kRequestEntityTooLarge,
                       "The allowed maximum operations in a JSON patch is " +
                           std::to_string(kMaxPatchOperations) + ", got " + std::to_string(patch.size()));
  }
  Value result = target;
  Patcher patcher(result);
  for (const Value& operation : patch) {
    if (!patcher.Apply(operation)) return base::Error(std::move(patcher).Error());
  }
  if (NestsDeeperThan(result, kMaxDepth)) return base::Error(base::Reason::kInvalid, "exceeded max depth");
  target = std::move(result);
  return {};
}

base::Result<std::vector<std::string>> CheckJsonPatch(const Value& patch) {
  const auto fail = [](const Value& value, std::string_view into) {
    return base::Error(base::Reason::kBadRequest, "error decoding patch: " + CannotUnmarshal(value, into));
  };
  std::vector<std::string> unknown;
  if (patch.is_null()) return unknown;
  if (!patch.is_array()) return fail(patch, "value of type []handlers.jsonPatchOp");
  std::size_t index = 0;
  for (const Value& operation : patch) {
    if (!operation.is_object() && !operation.is_null())
      return fail(operation, "value of type handlers.jsonPatchOp");
    for (const char* field : {"op", "path", "from"}) {
      const Value* value = Find(operation, field);
      if (value == nullptr || value->is_string() || value->is_null()) continue;
      return fail(*value, std::string("struct field jsonPatchOp.") + field + " of type string");
    }
    for (const auto& [field, value] : operation.items()) {
      if (field == "op" || field == "path" || field == "from" || field == "value") continue;
      unknown.push_back("unknown field " + base::Quote("[" + std::to_string(index) + "]." + field));
    }
    ++index;
  }
  return unknown;
}

}  // namespace annex::json
