// Words to write the tables of Go structs with, one line for each field, in the order of Go's declaration.
#pragma once

#include "annex/schema/typed.h"

#include <string>
#include <utility>
#include <vector>

namespace annex::schema::build {

using Omit = TypedField::Omit;

// `go_name` where Go has a name of its own for the type ("types.UID").
TypedType Text(std::string go_name = "string");
TypedType Boolean();
TypedType Integer32();
TypedType Integer64();
TypedType Float64();
TypedType Time();
TypedType Raw(std::string go_name);
TypedType Bytes();
TypedType ListOf(TypedType element);
TypedType MapOf(TypedType element);
// `go_package` is that of the struct's Go name: "v1".
TypedType StructOf(const TypedStruct& structure);
TypedType Choice(std::string go_name, std::vector<TypedType> alternatives, std::string mismatch = {});
TypedType Pointer(TypedType type);
TypedType Named(std::string go_name, TypedType type);

// The fields are in the order of Go's declaration. All structs here are of a package that Go calls v1.
TypedStruct Make(std::string go_name, std::vector<TypedField> fields);

// The fields that every object has, with `fields`.
std::vector<TypedField> WithTypeMeta(std::vector<TypedField> fields);

}  // namespace annex::schema::build
