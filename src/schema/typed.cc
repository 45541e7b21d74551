#include "annex/schema/typed.h"

#include "annex/base/strings.h"
#include "typed_reader.h"

#include <algorithm>
#include <utility>

namespace annex::schema {
namespace {

using Kind = TypedType::Kind;
using json::Value;

const TypedField* FindField(const TypedStruct& structure, std::string_view name) {
  const auto at =
      std::lower_bound(structure.fields.begin(), structure.fields.end(), name,
                       [](const TypedField& field, std::string_view key) { return field.name < key; });
  return at != structure.fields.end() && at->name == name ? &*at : nullptr;
}

// Go never counts a struct as empty.
bool IsStruct(const TypedType& type) {
  return !type.pointer &&
         (type.kind == Kind::kStruct || type.kind == Kind::kTime || type.kind == Kind::kMicroTime);
}

bool IsAlwaysWritten(const TypedField& field) {
  return field.omit == TypedField::Omit::kNever ||
         (field.omit == TypedField::Omit::kEmpty && IsStruct(field.type));
}

bool IsEmpty(const Value& value) {
  switch (value.type()) {
    case Value::value_t::null:
      return true;
    case Value::value_t::boolean:
      return !value.get<bool>();
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned:
      return value.get<std::int64_t>() == 0;
    case Value::value_t::number_float:
      return value.get<double>() == 0;
    case Value::value_t::string:
      return value.get_ref<const std::string&>().empty();
    case Value::value_t::array:
    case Value::value_t::object:
      return value.empty();
    case Value::value_t::binary:
    case Value::value_t::discarded:
      return false;
  }
  return false;
}

Value ZeroOf(const TypedStruct& structure) {
  Value zero = Value::object();
  for (const TypedField& field : structure.fields) {
    if (IsAlwaysWritten(field)) zero[field.name] = ZeroOf(field.type);
  }
  return zero;
}

}  // namespace

Value ZeroOf(const TypedType& type) {
  if (type.pointer) return nullptr;
  switch (type.kind) {
    case Kind::kText:
      return "";
    case Kind::kBoolean:
      return false;
    case Kind::kInteger32:
    case Kind::kInteger64:
      return 0;
    case Kind::kFloat64:
      return 0.0;
    case Kind::kStruct:
      return ZeroOf(*type.structure);
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kRaw:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kBytes:
    case Kind::kChoice:
      return nullptr;
  }
  return nullptr;
}

std::optional<std::string> TypedReader::ReadRoot(Value& value, const TypedStruct& structure,
                                                 std::string_view path) {
  if (value.is_null()) {
    value = ZeroOf(structure);
    return std::nullopt;
  }
  if (!value.is_object()) {
    return TextOf({"", std::string(GoKind(value)), structure.go_package + "." + structure.go_name});
  }
  ReadStruct(value, structure, PathFrame::Root(path));
  return TakeError();
}

std::optional<std::string> TypedReader::TakeError() {
  fields_.clear();
  innermost_ = nullptr;
  std::optional<std::string> error = std::exchange(ended_, std::nullopt);
  if (!error) error = std::move(noted_);
  noted_.reset();
  return error;
}

bool TypedReader::ReadMember(Value& value, const TypedStruct& structure, std::string_view name,
                             const PathFrame& at) {
  const TypedField* field = FindField(structure, name);
  if (field == nullptr) {
    Report(at);
    return false;
  }
  const bool absent = value.is_null();
  if (absent) {
    value = ZeroOf(field->type);
  } else {
    const TypedStruct* outer = innermost_;
    if (choices_ == 0) {
      innermost_ = &structure;
      fields_.push_back(field->name);
    }
    // After an error that ends the reading the place stays as it is: nobody asks for it again.
    if (!ReadValue(value, field->type, at)) return true;
    if (choices_ == 0) {
      innermost_ = outer;
      fields_.pop_back();
    }
  }
  return IsAlwaysWritten(*field) || (field->type.pointer ? !absent : !IsEmpty(value));
}

bool TypedReader::ReadStruct(Value& value, const TypedStruct& structure, const PathFrame& at) {
  auto& members = value.get_ref<Value::object_t&>();
  for (auto member = members.begin(); member != members.end();) {
    const bool written = ReadMember(member->second, structure, member->first, at.Property(member->first));
    if (ended_) return false;
    member = written ? std::next(member) : members.erase(member);
  }
  for (const TypedField& field : structure.fields) {
    if (IsAlwaysWritten(field) && !members.contains(field.name))
      members.emplace(field.name, ZeroOf(field.type));
  }
  return true;
}

bool TypedReader::ReadList(Value& value, const TypedType& type, const PathFrame& at) {
  auto& items = value.get_ref<Value::array_t&>();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].is_null()) {
      items[i] = ZeroOf(*type.element);
    } else if (!ReadValue(items[i], *type.element, at.Index(i))) {
      return false;
    }
  }
  return true;
}

bool TypedReader::ReadMap(Value& value, const TypedType& type, const PathFrame& at) {
  for (auto& [key, member] : value.get_ref<Value::object_t&>()) {
    if (member.is_null()) {
      member = ZeroOf(*type.element);
    } else if (!ReadValue(member, *type.element, at.Property(key))) {
      return false;
    }
  }
  return true;
}

bool TypedReader::ReadValue(Value& value, const TypedType& type, const PathFrame& at) {
  switch (type.kind) {
    case Kind::kRaw:
      return true;
    case Kind::kStruct:
      return value.is_object() ? ReadStruct(value, *type.structure, at)
                               : NoteWrongType(GoKind(value), type.go_name);
    case Kind::kList:
      return value.is_array() ? ReadList(value, type, at) : NoteWrongType(GoKind(value), type.go_name);
    case Kind::kMap:
      return value.is_object() ? ReadMap(value, type, at) : NoteWrongType(GoKind(value), type.go_name);
    case Kind::kChoice:
      return ReadChoice(value, type, at);
    case Kind::kTime:
    case Kind::kMicroTime:
      return ReadTime(value, type.kind);
    case Kind::kBytes:
      return ReadBytes(value, type);
    case Kind::kInteger32:
    case Kind::kInteger64:
      return ReadInteger(value, type);
    case Kind::kText:
    case Kind::kBoolean:
    case Kind::kFloat64:
      return ReadScalar(value, type);
  }
  return true;
}

bool TypedReader::ReadChoice(Value& value, const TypedType& type, const PathFrame& at) {
  const auto fits = [&value](const TypedType& alternative) {
    if (alternative.kind == Kind::kStruct) return value.is_object();
    return alternative.kind == Kind::kList ? value.is_array() : value.is_boolean();
  };
  const auto chosen = std::find_if(type.alternatives.begin(), type.alternatives.end(), fits);
  if (chosen == type.alternatives.end() && !type.mismatch.empty()) return End({type.mismatch, "", ""});
  if (chosen == type.alternatives.end() || (value.is_array() && value.empty())) {
    value = nullptr;
    return true;
  }
  if (chosen->kind == Kind::kBoolean) return true;
  // The choice is decoded by itself: what would only be noted inside ends the reading outside.
  auto noted_before = std::exchange(noted_, std::nullopt);
  ++choices_;
  const bool read = ReadValue(value, *chosen, at);
  --choices_;
  if (!read) return false;
  if (noted_) {
    ended_ = std::move(noted_);
    return false;
  }
  noted_ = std::move(noted_before);
  return true;
}

void TypedReader::Report(const PathFrame& at) {
  if (report_ == nullptr || choices_ > 0) return;
  auto& found = report_->unknown_fields;
  if (found.size() >= kMaxReportedFields) return;
  std::string path = DottedPath(at);
  if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(std::move(path));
}

bool TypedReader::NoteWrongType(std::string_view found, std::string_view expected) {
  return Note({"", std::string(found), std::string(expected)});
}

bool TypedReader::Note(const Failure& failure) {
  if (!noted_) noted_ = TextOf(failure);
  return true;
}

bool TypedReader::End(const Failure& failure) {
  ended_ = TextOf(failure);
  return false;
}

std::string TypedReader::TextOf(const Failure& failure) const {
  if (!failure.text.empty()) return failure.text;
  std::string text = "json: cannot unmarshal " + failure.found;
  if (innermost_ == nullptr) {
    text += " into Go value";
  } else {
    text += " into Go struct field " + innermost_->go_name;
    for (const std::string_view field : fields_) text.append(".").append(field);
  }
  return text + " of type " + failure.expected;
}

base::Result<void> ReadTyped(Value& value, const TypedStruct& structure, std::string_view path,
                             TypedReport* report, NumberSource numbers) {
  if (auto error = TypedReader(report, numbers).ReadRoot(value, structure, path)) {
    return base::Error(base::Reason::kBadRequest, *std::move(error));
  }
  return {};
}

}  // namespace annex::schema
