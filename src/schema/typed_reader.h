// TypedReader: one reading of a value as a Go struct (sigs.k8s.io/json).
//
// Go tells two kinds of failure apart. A value of the wrong type is noted, the first one only, and reading
// goes on; a type that reads itself (a time, a choice) ends the reading at once, and its error is the one
// that is shown.
#pragma once

#include "annex/json/value.h"
#include "annex/schema/typed.h"
#include "path.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::schema {

class TypedReader {
 public:
  TypedReader(TypedReport* report, NumberSource numbers) : report_(report), numbers_(numbers) {}

  // The whole value; the error text if it cannot be read.
  std::optional<std::string> ReadRoot(json::Value& value, const TypedStruct& structure,
                                      std::string_view path);

  // One member of a struct. False if the struct has no such field (it is reported then) or if the field is
  // not written; the caller removes the member.
  bool ReadMember(json::Value& value, const TypedStruct& structure, std::string_view name,
                  const PathFrame& at);

  // The error of what was read so far, and forgets it.
  std::optional<std::string> TakeError();

 private:
  // What a failure is shown with; the names are those of Go's types.
  struct Failure {
    std::string text;      // complete, or "" for a wrong type:
    std::string found;     // "number"
    std::string expected;  // "string"
  };

  // Each returns false when reading must end.
  bool ReadValue(json::Value& value, const TypedType& type, const PathFrame& at);
  bool ReadStruct(json::Value& value, const TypedStruct& structure, const PathFrame& at);
  bool ReadList(json::Value& value, const TypedType& type, const PathFrame& at);
  bool ReadMap(json::Value& value, const TypedType& type, const PathFrame& at);
  bool ReadScalar(json::Value& value, const TypedType& type);
  bool ReadInteger(json::Value& value, const TypedType& type);
  bool ReadTime(json::Value& value, TypedType::Kind kind);
  bool ReadBytes(json::Value& value, const TypedType& type);
  bool ReadByteArray(json::Value& value);
  bool ReadChoice(json::Value& value, const TypedType& type, const PathFrame& at);

  void Report(const PathFrame& at);
  // Notes a wrong type; reading goes on.
  bool NoteWrongType(std::string_view found, std::string_view expected);
  bool Note(const Failure& failure);
  bool End(const Failure& failure);
  std::string TextOf(const Failure& failure) const;

  TypedReport* const report_;
  const NumberSource numbers_;
  std::optional<std::string> noted_;  // the first wrong type
  std::optional<std::string> ended_;  // what ended the reading
  // The struct and the fields that lead to the place being read. Frozen inside a choice, whose error Go
  // describes from outside.
  const TypedStruct* innermost_ = nullptr;
  std::vector<std::string_view> fields_;
  int choices_ = 0;
};

// The zero of a type as Go writes it.
json::Value ZeroOf(const TypedType& type);

// How Go's decoder calls the kind of a JSON value: "string", "number", "bool", "array", "object".
std::string_view GoKind(const json::Value& value);

}  // namespace annex::schema
