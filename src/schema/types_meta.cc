// metav1: the structs of k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& OwnerReferenceType() {
  static const TypedStruct type = Make("OwnerReference", {
                                                             {"apiVersion", Text(), Omit::kNever},
                                                             {"blockOwnerDeletion", Pointer(Boolean())},
                                                             {"controller", Pointer(Boolean())},
                                                             {"kind", Text(), Omit::kNever},
                                                             {"name", Text(), Omit::kNever},
                                                             {"uid", Text("types.UID"), Omit::kNever},
                                                         });
  return type;
}

const TypedStruct& ManagedFieldsEntryType() {
  static const TypedStruct type =
      Make("ManagedFieldsEntry", {
                                     {"apiVersion", Text()},
                                     {"fieldsType", Text()},
                                     {"fieldsV1", Pointer(Raw("v1.FieldsV1"))},
                                     {"manager", Text()},
                                     {"operation", Text("v1.ManagedFieldsOperationType")},
                                     {"subresource", Text()},
                                     {"time", Pointer(Time())},
                                 });
  return type;
}

const TypedStruct& PreconditionsType() {
  static const TypedStruct type = Make("Preconditions", {
                                                            {"resourceVersion", Pointer(Text())},
                                                            {"uid", Pointer(Text("types.UID"))},
                                                        });
  return type;
}

}  // namespace

const TypedStruct& ObjectMetaType() {
  static const TypedStruct type =
      Make("ObjectMeta", {
                             {"annotations", MapOf(Text())},
                             {"creationTimestamp", Time(), Omit::kZero},
                             {"deletionGracePeriodSeconds", Pointer(Integer64())},
                             {"deletionTimestamp", Pointer(Time())},
                             {"finalizers", ListOf(Text())},
                             {"generateName", Text()},
                             {"generation", Integer64()},
                             {"labels", MapOf(Text())},
                             {"managedFields", ListOf(StructOf(ManagedFieldsEntryType()))},
                             {"name", Text()},
                             {"namespace", Text()},
                             {"ownerReferences", ListOf(StructOf(OwnerReferenceType()))},
                             {"resourceVersion", Text()},
                             {"selfLink", Text()},
                             {"uid", Text("types.UID")},
                         });
  return type;
}

const TypedStruct& DeleteOptionsType() {
  static const TypedStruct type =
      Make("DeleteOptions", WithTypeMeta({
                                {"dryRun", ListOf(Text())},
                                {"gracePeriodSeconds", Pointer(Integer64())},
                                {"ignoreStoreReadErrorWithClusterBreakingPotential", Pointer(Boolean())},
                                {"orphanDependents", Pointer(Boolean())},
                                {"preconditions", Pointer(StructOf(PreconditionsType()))},
                                {"propagationPolicy", Pointer(Text("v1.DeletionPropagation"))},
                            }));
  return type;
}

}  // namespace annex::schema
