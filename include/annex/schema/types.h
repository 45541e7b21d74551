// The types of Kubernetes' own API that Annex reads as structs, as tables for ReadTyped.
//
// Ownership: the tables live as long as the process. Thread rule: thread-safe.
#pragma once

#include "annex/schema/typed.h"

namespace annex::schema {

// metav1.
const TypedStruct& ObjectMetaType();  // with OwnerReference and ManagedFieldsEntry
const TypedStruct& DeleteOptionsType();
const TypedStruct& ListMetaType();
const TypedStruct& MetaStatusType();  // with StatusDetails and StatusCause

// apiextensions.k8s.io/v1.
const TypedStruct& CustomResourceDefinitionType();
const TypedStruct& JsonSchemaPropsType();
const TypedStruct& ConversionReviewType();

// core/v1 and autoscaling/v1.
const TypedStruct& NamespaceType();
const TypedStruct& ScaleType();

}  // namespace annex::schema
