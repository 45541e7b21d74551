// Typed: reading JSON as Go reads it into a struct, for the few objects that have a fixed type (ObjectMeta,
// DeleteOptions, Scale, CustomResourceDefinition, Namespace).
//
// A struct is a table of fields. Reading drops fields that the table does not have (and reports them to
// strict readers), matches keys exactly, takes null for absent, and fails on a value of the wrong type with
// Go's text:
//   json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string
// The result is what Go would write after reading: empty optional fields are left out, fields that are always
// written are there
// ("conditions": null), times are in UTC and whole seconds, base64 is in its standard form.
//
// Go writes the fields of a struct in the order of their declaration; AppendTyped does the same, so that
// bodies are equal to kube-apiserver's byte by byte.
//
// Thread rule: types are immutable, built once; everything is thread-safe.
#pragma once

#include "annex/base/result.h"
#include "annex/json/value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace annex::schema {

struct TypedStruct;

// The type of a field.
struct TypedType {
  enum class Kind : std::uint8_t {
    kText,
    kBoolean,
    kInteger32,
    kInteger64,
    kFloat64,
    kTime,       // metav1.Time: RFC 3339
    kMicroTime,  // metav1.MicroTime
    kRaw,        // any JSON, kept as it is (runtime.RawExtension, FieldsV1, JSON)
    kList,
    kMap,  // text keys
    kStruct,
    kBytes,   // []byte: base64 text
    kChoice,  // a type that reads itself (JSONSchemaPropsOrBool, …): neither its fields nor what lies below
              // are reported
  };
  Kind kind = Kind::kRaw;
  // A pointer in Go: a zero that was given is kept, and the empty value is not written.
  bool pointer = false;
  std::string go_name;  // how Go's texts call it: "string", "map[string]string", "v1.OwnerReference"
  std::shared_ptr<const TypedType> element;  // kList, kMap
  const TypedStruct* structure = nullptr;    // kStruct; may refer back to a struct that contains this one
  std::vector<TypedType> alternatives;       // kChoice: the first whose JSON kind fits
  std::string mismatch;                      // kChoice: the error if none fits; "" reads such a value as null
};

struct TypedField {
  // When Go leaves the field out of what it writes.
  enum class Omit : std::uint8_t {
    kNever,
    kEmpty,  // `omitempty`: "", 0, false, no items; a struct or a time never
    kZero,   // `omitzero`: also the zero time
  };
  std::string name;  // the JSON name
  TypedType type;
  Omit omit = Omit::kEmpty;
};

struct TypedStruct {
  std::string go_name;             // "ObjectMeta"
  std::string go_package;          // "v1": with it, texts about a whole value call the type "v1.ObjectMeta"
  std::vector<TypedField> fields;  // sorted by name
  std::vector<std::size_t> order;  // of `fields` in Go's declaration: the order in which Go writes them
};

// Where the numbers of a value come from: it decides whether 1.0 is an integer.
enum class NumberSource : std::uint8_t {
  kText,    // a request's JSON text, which Go reads straight into the struct: 1.0 is none
  kValues,  // values that Go has decoded and written again before: 1.0 has become 1 (custom resources, YAML)
};

struct TypedReport {
  // Paths in the order of reading (which is that of the sorted keys), each once, at most kMaxReportedFields.
  std::vector<std::string> unknown_fields;
};
inline constexpr std::size_t kMaxReportedFields = 100;  // as many as Go's decoder collects

// Rewrites `value` to what Go would have read. `path` is the place of `value` in the document, for the
// reported paths. Errors: BadRequest with Go's text; the value is then unspecified.
base::Result<void> ReadTyped(json::Value& value, const TypedStruct& structure, std::string_view path,
                             TypedReport* report = nullptr, NumberSource numbers = NumberSource::kText);

// A member of an object that is a struct in Go. The views live as long as the object and the struct.
struct TypedMember {
  std::string_view name;
  const json::Value* value = nullptr;
  const TypedType* type = nullptr;  // nullptr if the struct has no such field
};

// The members in the order in which Go writes them; what the struct does not have comes last.
// REQUIRES: `object` is an object.
std::vector<TypedMember> MembersInOrder(const json::Value& object, const TypedStruct& structure);

// Writes JSON with the keys of structs in Go's order. All that `value` has is written, and nothing more.
void AppendTyped(std::string& out, const json::Value& value, const TypedStruct& structure);
void AppendTyped(std::string& out, const TypedMember& member);

}  // namespace annex::schema
