// The field numbers of Kubernetes' types in protobuf: k8s.io/*/generated.proto, for the structs of
// annex/schema/types.h.
//
// Ownership: the tables live as long as the process. Thread rule: thread-safe.
#pragma once

#include "annex/schema/typed.h"

#include <cstdint>
#include <string>
#include <vector>

namespace annex::api {

struct ProtobufField {
  std::int32_t number = 0;
  std::string name = {};     // the JSON name
  std::string go_name = {};  // in errors; "" if it is the JSON name with a capital letter
  bool boxed = false;        // a list that is a message of its own: metav1.Verbs{items = 1}

  std::string GoName() const;
};

// The fields of a struct, by number. apiVersion and kind are not among them: in protobuf they stand beside
// the message. An empty table for a struct that protobuf does not know.
const std::vector<ProtobufField>& ProtobufFieldsOf(const schema::TypedStruct& structure);

// The field of that number, nullptr if there is none.
const ProtobufField* FindProtobufField(const schema::TypedStruct& structure, std::int32_t number);

}  // namespace annex::api
