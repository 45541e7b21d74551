// From the events of a YAML document to a JSON value, in the steps of Kubernetes: go-yaml decodes into maps
// with keys of any type, sigs.k8s.io/yaml turns the keys into strings, Go's encoder writes JSON, and that is
// read again. Errors of an earlier step hide those of later ones.
//
// Aliases repeat what their anchor's node decodes to; merge keys ("<<") put the members of other mappings
// into their own.
#include "annex/base/strings.h"
#include "annex/json/float_text.h"
#include "annex/json/read.h"
#include "yaml_events.h"
#include "yaml_key.h"
#include "yaml_scalar.h"

#include <cmath>
#include <deque>
#include <memory>
#include <set>
#include <utility>

namespace annex::json {
namespace {

using Kind = YamlEvent::Kind;
using Type = YamlScalar::Type;

// More complaints than this help nobody and would let a document's answer grow without bound.
constexpr std::size_t kMaxReportedDuplicates = 100;

// Which share of all decoded nodes may come from aliases (go-yaml's guard against documents that explode).
double AllowedAliasRatio(double decoded) {
  constexpr double kLow = 400'000;
  constexpr double kHigh = 4'000'000;
  if (decoded <= kLow) return 0.99;
  if (decoded >= kHigh) return 0.10;
  return 0.99 - 0.89 * ((decoded - kLow) / (kHigh - kLow));
}

// Go's encoder replaces what is no UTF-8. Only !!binary and tags make such text.
std::string ValidUtf8(std::string_view text) {
  std::string valid;
  for (std::size_t position = 0; position < text.size();) {
    base::AppendUtf8(valid, base::NextCodePoint(text, position));
  }
  return valid;
}

// A float that Go's encoder writes without a fraction is an integer when it is read back.
Value NumberValue(double number) {
  constexpr double kFirstExponent = 1e21;  // from here on the encoder writes one
  if (std::trunc(number) != number || std::fabs(number) >= kFirstExponent) return number;
  std::string digits;
  AppendFloatDigits(digits, number);
  const auto integer = base::ParseInt64(digits);
  return integer ? Value(*integer) : Value(number);
}

// The number that stops Go's encoder.
const Value* FirstNonFinite(const Value& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>()) ? nullptr : &value;
  if (!value.is_structured()) return nullptr;
  for (const Value& member : value) {
    if (const Value* found = FirstNonFinite(member)) return found;
  }
  return nullptr;
}

class Decoder {
 public:
  Decoder(const YamlEvents& events, YamlReport* report) : events_(events), report_(report) {}

  base::Result<Value> Decode() {
    Value document;
    bool good = events_.Size() == 0 || Start(0, document, {});
    while (good && !stack_.empty()) good = Step();
    if (good && !key_problem_.empty()) good = Fail(std::move(key_problem_));
    if (good && non_finite_) {
      if (const Value* number = FirstNonFinite(document)) {
        good = Fail("json: unsupported value: " + std::string(NonFiniteName(number->get<double>())));
      }
    }
    if (!good) return base::Error(base::Reason::kBadRequest, std::move(error_));
    return document;
  }

 private:
  // Where a node stands.
  struct Place {
    bool aliased = false;  // within a node that an alias repeats
    std::size_t depth = 0;
  };

  struct Frame {
    enum class Job : std::uint8_t { kSequence, kMapping, kMergeList };

    Job job = Job::kSequence;
    Place place = {};
    std::uint32_t next = 0;  // the event to go on with
    Value* out = nullptr;    // the array or object to fill
    // Of a mapping the frame whose object it fills: its own or that of the mapping into which it is merged.
    std::size_t owner = 0;

    // The member of a mapping that is being decoded; told about once it is complete.
    Value* member = nullptr;
    bool collection_key = false;
    std::size_t line = 0;        // of its value
    std::string duplicate = {};  // its key as shown, if an equal one was there
    std::string key_problem = {};

    // The identities of all keys, only in a mapping where not all are strings.
    std::unique_ptr<std::set<std::string>> keys = {};
    // What a merge list still has to merge, the last one first.
    std::vector<std::uint32_t> merges = {};
  };

  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  bool Count(Place place, std::size_t bytes) {
    ++decoded_;
    if (place.aliased) {
      ++aliased_;
      aliased_bytes_ += bytes;
    }
    const bool exploding = aliased_ > 100 && decoded_ > 1000 &&
                           static_cast<double>(aliased_) / static_cast<double>(decoded_) >
                               AllowedAliasRatio(static_cast<double>(decoded_));
    if (!exploding && aliased_bytes_ <= kMaxYamlAliasBytes) return true;
    return Fail("yaml: document contains excessive aliasing");
  }

  // Goes from an alias to its node.
  bool Follow(std::uint32_t& index, Place& place) {
    const YamlEvent& event = events_.At(index);
    if (event.kind != Kind::kAlias) return true;
    if (!Count(place, 0)) return false;
    if (events_.After(event.target) > index) {
      return Fail("yaml: anchor '" + std::string(events_.Text(event)) + "' value contains itself");
    }
    index = event.target;
    place.aliased = true;
    return true;
  }

  // Decodes the node at `index` into `out`; of a collection only the beginning, Step does the rest.
  bool Start(std::uint32_t index, Value& out, Place place) {
    if (!Follow(index, place)) return false;
    const YamlEvent& event = events_.At(index);
    if (!Count(place, event.text_size)) return false;
    if (event.kind == Kind::kScalar) return DecodeScalar(event, out);
    if (++place.depth > kMaxDepth) return Fail("exceeded max depth");
    const bool sequence = event.kind == Kind::kSequence;
    out = sequence ? Value::value_t::array : Value::value_t::object;
    stack_.push_back({.job = sequence ? Frame::Job::kSequence : Frame::Job::kMapping,
                      .place = place,
                      .next = index + 1,
                      .out = &out,
                      .owner = stack_.size()});
    return true;
  }

  // Takes one step in the innermost collection.
  bool Step() {
    Frame& frame = stack_.back();
    if (frame.job == Frame::Job::kMergeList) return StepMergeList(frame);
    if (frame.member != nullptr && !FinishMember(frame)) return false;
    if (events_.At(frame.next).kind == Kind::kEnd) {
      stack_.pop_back();
      return true;
    }
    const std::uint32_t index = std::exchange(frame.next, events_.After(frame.next));
    if (frame.job == Frame::Job::kMapping) return BeginMember(frame, index);
    return Start(index, frame.out->get_ref<Value::array_t&>().emplace_back(), frame.place);
  }

  // A mapping's key is at `index`, its value is `frame.next`.
  bool BeginMember(Frame& frame, std::uint32_t index) {
    const std::uint32_t value = std::exchange(frame.next, events_.After(frame.next));
    if (IsMerge(events_.At(index))) return Merge(frame, value);
    Place place = frame.place;
    if (!Follow(index, place)) return false;
    const YamlEvent& event = events_.At(index);
    if (event.kind != Kind::kScalar) {
      frame.collection_key = true;
      frame.member = &collection_keys_.emplace_back();
      return Start(index, *frame.member, place);
    }
    if (!Count(place, event.text_size)) return false;
    frame.line = events_.At(value).line + std::size_t{1};
    return DecodeKey(frame, event) && Start(value, *frame.member, frame.place);
  }

  bool DecodeKey(Frame& frame, const YamlEvent& event) {
    YamlScalar scalar;
    std::string text;
    if (!Resolve(event, scalar, text)) return false;
    YamlKey key = MakeYamlKey(scalar, text);
    // In a collection that is a key, and so an error, members are only there to be shown.
    if (!collection_keys_.empty()) key.name = key.Shown();
    auto& members = frame.out->get_ref<Value::object_t&>();
    frame.duplicate = IsNew(stack_[frame.owner], members, key) ? std::string() : key.Shown();
    frame.key_problem = std::move(key.problem);
    // Documents mostly come with their keys in order: the end is the right hint then.
    frame.member = &members.try_emplace(members.end(), std::move(key.name))->second;
    *frame.member = Value();
    return true;
  }

  static bool IsNew(Frame& owner, const Value::object_t& members, const YamlKey& key) {
    if (key.type == 's' && owner.keys == nullptr) return !members.contains(key.name);
    if (owner.keys == nullptr) {
      owner.keys = std::make_unique<std::set<std::string>>();
      for (const auto& [name, member] : members) owner.keys->insert('s' + name);
    }
    return owner.keys->insert(key.Identity()).second || key.shown == "NaN";
  }

  bool FinishMember(Frame& frame) {
    if (frame.collection_key) return Fail("yaml: invalid map key: " + ShowGoValue(*frame.member, true));
    if (!frame.duplicate.empty() && report_ != nullptr &&
        report_->duplicate_keys.size() < kMaxReportedDuplicates) {
      report_->duplicate_keys.push_back({frame.line, std::move(frame.duplicate)});
    }
    if (!frame.key_problem.empty() && key_problem_.empty()) {
      key_problem_ = frame.key_problem + ShowGoValue(*frame.member, false);
    }
    frame.member = nullptr;
    return true;
  }

  // ---- Merging

  bool IsMerge(const YamlEvent& event) const {
    return event.kind == Kind::kScalar && events_.Text(event) == "<<" &&
           (event.plain || events_.Tag(event) == kYamlMergeTag);
  }

  bool Merge(Frame& frame, std::uint32_t index) {
    if (events_.At(index).kind != Kind::kSequence) return MergeMapping(frame, index);
    Frame list{.job = Frame::Job::kMergeList, .place = frame.place, .out = frame.out, .owner = frame.owner};
    for (std::uint32_t item = index + 1; events_.At(item).kind != Kind::kEnd; item = events_.After(item)) {
      list.merges.push_back(item);
    }
    stack_.push_back(std::move(list));
    return true;
  }

  // Backwards, since earlier mappings win over later ones.
  bool StepMergeList(Frame& frame) {
    if (frame.merges.empty()) {
      stack_.pop_back();
      return true;
    }
    const std::uint32_t index = frame.merges.back();
    frame.merges.pop_back();
    return MergeMapping(frame, index);
  }

  bool MergeMapping(const Frame& frame, std::uint32_t index) {
    const YamlEvent& event = events_.At(index);
    const YamlEvent& node = event.kind == Kind::kAlias ? events_.At(event.target) : event;
    if (node.kind != Kind::kMapping) {
      return Fail("yaml: map merge requires map or sequence of maps as the value");
    }
    Place place = frame.place;
    if (!Follow(index, place) || !Count(place, 0)) return false;
    stack_.push_back({.job = Frame::Job::kMapping,
                      .place = place,
                      .next = index + 1,
                      .out = frame.out,
                      .owner = frame.owner});
    return true;
  }

  // ---- Scalars

  // `text` is what a string is; the type decides about everything else.
  bool Resolve(const YamlEvent& event, YamlScalar& scalar, std::string& text) {
    const std::string_view tag = events_.Tag(event);
    text = events_.Text(event);
    if (tag.empty() && !event.plain) return true;
    if (tag == kYamlBinaryTag) {
      std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
      const auto bytes = base::Base64Decode(text);
      if (!bytes) return Fail("yaml: !!binary value contains invalid base64 data");
      text = ValidUtf8(*bytes);
      return true;
    }
    auto resolved = ResolveYamlScalar(tag, text);
    if (!resolved) return Fail(std::move(resolved.error().message));
    scalar = *resolved;
    return true;
  }

  bool DecodeScalar(const YamlEvent& event, Value& out) {
    YamlScalar scalar;
    std::string text;
    if (!Resolve(event, scalar, text)) return false;
    switch (scalar.type) {
      case Type::kNull:
        out = nullptr;
        break;
      case Type::kBoolean:
        out = scalar.boolean;
        break;
      case Type::kInteger:
        out = scalar.integer;
        break;
      case Type::kUnsigned:
        out = static_cast<double>(scalar.unsigned_integer);
        break;
      case Type::kFloat:
        if (!std::isfinite(scalar.number)) non_finite_ = true;
        out = NumberValue(scalar.number);
        break;
      case Type::kTimestamp:
      case Type::kString:
        out = std::move(text);
        break;
    }
    return true;
  }

  const YamlEvents& events_;
  YamlReport* const report_;
  std::vector<Frame> stack_;
  std::deque<Value> collection_keys_;  // their addresses stay
  std::size_t decoded_ = 1;            // the document counts too
  std::size_t aliased_ = 0;
  std::size_t aliased_bytes_ = 0;
  bool non_finite_ = false;
  std::string key_problem_;
  std::string error_;
};

}  // namespace

base::Result<Value> DecodeYaml(const YamlEvents& events, YamlReport* report) {
  return Decoder(events, report).Decode();
}

}  // namespace annex::json
