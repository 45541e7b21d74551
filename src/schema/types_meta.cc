// metav1: the structs of k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& OwnerReferenceType() {
  static const TypedStruct type = Make("OwnerReference", {
                                                             {"apiVersion", Text(), Omit::kNever},
                                                             {"kind", Text(), Omit::kNever},
                                                             {"name", Text(), Omit::kNever},
                                                             {"uid", Text("types.UID"), Omit::kNever},
                                                             {"controller", Pointer(Boolean())},
                                                             {"blockOwnerDeletion", Pointer(Boolean())},
                                                         });
  return type;
}

const TypedStruct& ManagedFieldsEntryType() {
  static const TypedStruct type =
      Make("ManagedFieldsEntry", {
                                     {"manager", Text()},
                                     {"operation", Text("v1.ManagedFieldsOperationType")},
                                     {"apiVersion", Text()},
                                     {"time", Pointer(Time())},
                                     {"fieldsType", Text()},
                                     {"fieldsV1", Pointer(Raw("v1.FieldsV1"))},
                                     {"subresource", Text()},
                                 });
  return type;
}

const TypedStruct& PreconditionsType() {
  static const TypedStruct type = Make("Preconditions", {
                                                            {"uid", Pointer(Text("types.UID"))},
                                                            {"resourceVersion", Pointer(Text())},
                                                        });
  return type;
}

const TypedStruct& StatusCauseType() {
  static const TypedStruct type = Make("StatusCause", {
                                                          {"reason", Text("v1.CauseType")},
                                                          {"message", Text()},
                                                          {"field", Text()},
                                                      });
  return type;
}

const TypedStruct& StatusDetailsType() {
  static const TypedStruct type = Make("StatusDetails", {
                                                            {"name", Text()},
                                                            {"group", Text()},
                                                            {"kind", Text()},
                                                            {"uid", Text("types.UID")},
                                                            {"causes", ListOf(StructOf(StatusCauseType()))},
                                                            {"retryAfterSeconds", Integer32()},
                                                        });
  return type;
}

}  // namespace

const TypedStruct& ObjectMetaType() {
  static const TypedStruct type =
      Make("ObjectMeta", {
                             {"name", Text()},
                             {"generateName", Text()},
                             {"namespace", Text()},
                             {"selfLink", Text()},
                             {"uid", Text("types.UID")},
                             {"resourceVersion", Text()},
                             {"generation", Integer64()},
                             {"creationTimestamp", Time(), Omit::kZero},
                             {"deletionTimestamp", Pointer(Time())},
                             {"deletionGracePeriodSeconds", Pointer(Integer64())},
                             {"labels", MapOf(Text())},
                             {"annotations", MapOf(Text())},
                             {"ownerReferences", ListOf(StructOf(OwnerReferenceType()))},
                             {"finalizers", ListOf(Text())},
                             {"managedFields", ListOf(StructOf(ManagedFieldsEntryType()))},
                         });
  return type;
}

const TypedStruct& DeleteOptionsType() {
  static const TypedStruct type =
      Make("DeleteOptions", WithTypeMeta({
                                {"gracePeriodSeconds", Pointer(Integer64())},
                                {"preconditions", Pointer(StructOf(PreconditionsType()))},
                                {"orphanDependents", Pointer(Boolean())},
                                {"propagationPolicy", Pointer(Text("v1.DeletionPropagation"))},
                                {"dryRun", ListOf(Text())},
                                {"ignoreStoreReadErrorWithClusterBreakingPotential", Pointer(Boolean())},
                            }));
  return type;
}

const TypedStruct& ListMetaType() {
  static const TypedStruct type = Make("ListMeta", {
                                                       {"selfLink", Text()},
                                                       {"resourceVersion", Text()},
                                                       {"continue", Text()},
                                                       {"remainingItemCount", Pointer(Integer64())},
                                                   });
  return type;
}

const TypedStruct& MetaStatusType() {
  static const TypedStruct type = Make("Status", WithTypeMeta({
                                                     {"metadata", StructOf(ListMetaType())},
                                                     {"status", Text()},
                                                     {"message", Text()},
                                                     {"reason", Text("v1.StatusReason")},
                                                     {"details", Pointer(StructOf(StatusDetailsType()))},
                                                     {"code", Integer32()},
                                                 }));
  return type;
}

}  // namespace annex::schema
