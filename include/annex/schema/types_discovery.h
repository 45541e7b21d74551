// The types that discovery answers with, as tables for AppendTyped: metav1 and apidiscovery.k8s.io/v2.
//
// Ownership: the tables live as long as the process. Thread rule: thread-safe.
#pragma once

#include "annex/schema/typed.h"

namespace annex::schema {

const TypedStruct& RootPathsType();
const TypedStruct& ApiVersionsType();
const TypedStruct& ApiGroupType();
const TypedStruct& ApiGroupListType();
const TypedStruct& ApiResourceListType();
const TypedStruct& ApiGroupDiscoveryListType();

}  // namespace annex::schema
