#include "annex/json/jsonpath.h"

#include "annex/base/strings.h"
#include "annex/json/float_text.h"
#include "jsonpath_node.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace annex::json {
namespace {

using Node = JsonPath::Node;
using Type = Node::Type;
using Values = std::vector<const Value*>;

// Loops within loops ("{range}") that a template may have.
constexpr std::size_t kMaxRanges = 64;
// Go prints whole values into its messages.
constexpr std::size_t kMaxShownValue = 1U << 16U;

// Numbers of paths wrap as Go's do.
std::int64_t Add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::string_view GoTypeName(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_number_integer()) return "int64";
  return value.is_number_float() ? "float64" : "map[string]interface {}";
}

// As Go's %v.
void AppendGoText(std::string& out, const Value& value) {
  if (out.size() > kMaxShownValue) return;
  if (value.is_object()) {
    out += "map[";
    const char* separator = "";
    for (const auto& [key, member] : value.get_ref<const Value::object_t&>()) {
      out.append(std::exchange(separator, " ")).append(key).append(":");
      AppendGoText(out, member);
    }
    out += ']';
  } else if (value.is_array()) {
    out += '[';
    const char* separator = "";
    for (const Value& item : value) {
      out += std::exchange(separator, " ");
      AppendGoText(out, item);
    }
    out += ']';
  } else {
    out += value.is_null() ? "<nil>" : PrintResult(value);
  }
}

// The bytes of strings, which are what a wildcard finds in one.
const Value& ByteValue(char byte) {
  static const std::array<Value, 256> kValues = [] {
    std::array<Value, 256> values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
    return values;
  }();
  return kValues[static_cast<unsigned char>(byte)];
}

// Appends what is directly within a value.
void AppendMembers(const Value& value, Values& to) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Value::object_t&>()) to.push_back(&member);
  } else if (value.is_array()) {
    for (const Value& item : value.get_ref<const Value::array_t&>()) to.push_back(&item);
  } else if (value.is_string()) {
    for (const char byte : value.get_ref<const std::string&>()) to.push_back(&ByteValue(byte));
  }
}

class Evaluator {
 public:
  explicit Evaluator(const std::vector<Node>& parts) : parts_(parts) {}

  base::Result<Values> Evaluate(const Value& root) {
    std::vector<Values> results;
    if (!RunParts(0, root, results)) return base::Error(base::Reason::kInvalid, std::move(error_));
    if (results.empty()) return Values();
    return std::move(results.front());
  }

 private:
  // What a step found. client-go gives values also with an error: a filter that asks whether something exists
  // looks only at them.
  struct Outcome {
    Values values;
    bool failed = false;
  };

  Outcome Fail(Values values, std::string message) {
    error_ = std::move(message);
    return {std::move(values), true};
  }

  bool Count(std::size_t steps) {
    steps_ += steps;
    return steps_ <= kMaxJsonPathSteps;
  }
  bool Exhausted() const { return steps_ > kMaxJsonPathSteps; }

  // The parts of the template from `begin` on, with their loops.
  bool RunParts(std::size_t begin, const Value& data, std::vector<Values>& results) {
    for (std::size_t i = begin; i < parts_.size(); ++i) {
      Outcome outcome = Walk({&data}, parts_[i]);
      if (Exhausted()) outcome = Fail({}, "the path leads to too many values");
      if (outcome.failed) return false;
      if (ends_ > 0 && ends_ <= loops_) {
        --ends_;
        last_end_ = i;
        break;
      }
      if (begins_ == 0) {
        results.push_back(std::move(outcome.values));
        continue;
      }
      --begins_;
      if (++loops_ > kMaxRanges) return !Fail({}, "too many ranges").failed;
      // Without values the loop runs once all the same, to find its end.
      std::vector<Values> ignored;
      static const Value kNothing;
      if (outcome.values.empty() && !RunParts(i + 1, kNothing, ignored)) return false;
      for (const Value* value : outcome.values) {
        if (!RunParts(i + 1, *value, results)) return false;
      }
      --loops_;
      if (last_end_ > i) i = last_end_;
    }
    return true;
  }

  Outcome Walk(Values input, const Node& node) {
    if (!Count(input.size() + 1)) return {};
    switch (node.type) {
      case Type::kText:
        return {{&node.constant}};
      case Type::kLiteral:
        return {Values(input.size(), &node.constant)};
      case Type::kField:
        return {Fields(input, node.name)};
      case Type::kIdentifier:
        return Identifier(std::move(input), node.name);
      case Type::kArray:
        return Items(std::move(input), node.range);
      case Type::kWildcard:
        return {Members(input)};
      case Type::kRecursive:
        return {Descendants(input)};
      case Type::kList:
        return WalkList(std::move(input), node);
      case Type::kUnion:
        return Union(std::move(input), node);
      case Type::kFilter:
        return Filter(std::move(input), node);
    }
    return {};
  }

  Outcome WalkList(Values input, const Node& list) {
    Outcome outcome{std::move(input)};
    for (const Node& node : list.nodes) {
      outcome = Walk(std::move(outcome.values), node);
      if (outcome.failed) break;
    }
    return outcome;
  }

  static Values Fields(const Values& input, const std::string& name) {
    Values found;
    for (const Value* value : input) {
      if (const Value* member = Find(*value, name)) found.push_back(member);
    }
    return found;
  }

  Outcome Identifier(Values input, const std::string& name) {
    if (name == "range") {
      ++begins_;
      return {std::move(input)};
    }
    if (name != "end") return Fail(std::move(input), "unrecognized identifier " + name);
    if (loops_ == 0) return Fail({}, "not in range, nothing to end");
    ++ends_;
    return {};
  }

  Outcome Items(Values input, const Node::Range& range) {
    Values found;
    for (const Value* value : input) {
      if (value->is_null()) continue;
      if (!value->is_array()) {
        std::string message(GoTypeName(*value));
        return Fail(std::move(input), message + " is not array or slice");
      }
      const auto& items = value->get_ref<const Value::array_t&>();
      const auto size = static_cast<std::int64_t>(items.size());
      std::int64_t first = range.first.value_or(0);
      if (first < 0) first = Add(first, size);
      std::int64_t end = range.end.value_or(size);
      if (end < 0 || (end == 0 && range.derived_end)) end = Add(end, size);
      // An empty range ends the search, also for further input.
      if (first == end) return {std::move(found)};
      const bool first_fits = first >= 0 && first < size;
      if (!first_fits || end < 0 || end > size) {
        const std::int64_t index = first_fits ? Add(end, -1) : first;
        return Fail(std::move(input), "array index out of bounds: index " + std::to_string(index) +
                                          ", length " + std::to_string(size));
      }
      if (first > end) {
        return Fail(std::move(input), "starting index " + std::to_string(first) +
                                          " is greater than ending index " + std::to_string(end));
      }
      const std::int64_t step = range.step.value_or(1);
      if (step <= 0) return Fail(std::move(input), "step must be > 0");
      const std::size_t before = found.size();
      for (std::int64_t i = first; i < end; i = step < end - i ? i + step : end) {
        found.push_back(&items[static_cast<std::size_t>(i)]);
      }
      if (!Count(found.size() - before)) break;
    }
    return {std::move(found)};
  }

  Values Members(const Values& input) {
    Values found;
    for (const Value* value : input) {
      const std::size_t before = found.size();
      AppendMembers(*value, found);
      if (!Count(found.size() - before)) break;
    }
    return found;
  }

  // All values that have something within them, each before its members.
  Values Descendants(const Values& input) {
    Values found;
    Values open(input.rbegin(), input.rend());
    Values members;
    while (!open.empty() && Count(1)) {
      const Value* value = open.back();
      open.pop_back();
      members.clear();
      if (value->is_structured()) AppendMembers(*value, members);
      const bool has_members =
          !members.empty() || (value->is_string() && !value->get_ref<const std::string&>().empty());
      if (has_members) found.push_back(value);
      open.insert(open.end(), members.rbegin(), members.rend());
    }
    return found;
  }

  Outcome Union(Values input, const Node& node) {
    Values found;
    for (const Node& list : node.nodes) {
      Outcome outcome = WalkList(input, list);
      if (outcome.failed) return {std::move(input), true};
      found.insert(found.end(), outcome.values.begin(), outcome.values.end());
    }
    return {std::move(found)};
  }

  Outcome Filter(Values input, const Node& node) {
    Values found;
    for (const Value* value : input) {
      if (!value->is_array()) {
        std::string message;
        AppendGoText(message, *value);
        return Fail(std::move(input), message + " is not array or slice and cannot be filtered");
      }
      for (const Value& item : value->get_ref<const Value::array_t&>()) {
        const Outcome left = WalkList({&item}, node.nodes[0]);
        if (Exhausted()) return {};
        if (node.name == "exists") {
          if (!left.values.empty()) found.push_back(&item);
          continue;
        }
        if (left.failed) return {std::move(input), true};
        bool matches = false;
        if (!Matches(item, left.values, node, input, found, matches)) return {std::move(input), true};
        if (matches) found.push_back(&item);
      }
    }
    return {std::move(found)};
  }

  // Compares what is left of the operator with what is right of it; nothing on either side is no match. On an
  // error `input` becomes what the filter gives besides.
  bool Matches(const Value& item, const Values& left, const Node& node, Values& input, Values& found,
               bool& matches) {
    constexpr const char* kTooMany = "can only compare one element at a time";
    if (left.empty()) return true;
    if (left.size() > 1) return !Fail({}, kTooMany).failed;
    const Outcome right = WalkList({&item}, node.nodes[1]);
    if (right.failed) return false;
    if (right.values.empty()) return true;
    if (right.values.size() > 1) return !Fail({}, kTooMany).failed;
    constexpr std::array<std::string_view, 6> kOperators = {"==", "!=", "<", "<=", ">", ">="};
    if (std::find(kOperators.begin(), kOperators.end(), node.name) == kOperators.end()) {
      input = std::move(found);
      return !Fail({}, "unrecognized filter operator " + node.name).failed;
    }
    auto result = CompareJsonPathValues(*left[0], node.name, *right.values[0]);
    if (!result) {
      input = std::move(found);
      return !Fail({}, std::move(result.error().message)).failed;
    }
    matches = *result;
    return true;
  }

  const std::vector<Node>& parts_;
  std::size_t steps_ = 0;
  std::size_t begins_ = 0;  // ranges that were met and not yet begun
  std::size_t loops_ = 0;   // ranges that are running
  std::size_t ends_ = 0;    // ends that were met
  std::size_t last_end_ = 0;
  std::string error_;
};

}  // namespace

JsonPath::JsonPath(std::shared_ptr<const std::vector<Node>> nodes) : nodes_(std::move(nodes)) {}
JsonPath::~JsonPath() = default;
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;
JsonPath::JsonPath(const JsonPath&) = default;
JsonPath& JsonPath::operator=(const JsonPath&) = default;

base::Result<JsonPath> JsonPath::Compile(std::string_view expression) {
  ANNEX_TRY(auto nodes, ParseJsonPathTemplate("{" + std::string(expression) + "}"));
  return JsonPath(std::make_shared<const std::vector<Node>>(std::move(nodes)));
}

base::Result<std::vector<const Value*>> JsonPath::Find(const Value& root) const {
  return Evaluator(*nodes_).Evaluate(root);
}

}  // namespace annex::json
