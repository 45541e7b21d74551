// core/v1 Namespace and autoscaling/v1 Scale: the structs of k8s.io/api.
#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& NamespaceSpecType() {
  static const TypedStruct type = Make("NamespaceSpec", {{"finalizers", ListOf(Text("v1.FinalizerName"))}});
  return type;
}

const TypedStruct& NamespaceConditionType() {
  static const TypedStruct type =
      Make("NamespaceCondition", {
                                     {"type", Text("v1.NamespaceConditionType"), Omit::kNever},
                                     {"status", Text("v1.ConditionStatus"), Omit::kNever},
                                     {"lastTransitionTime", Time()},
                                     {"reason", Text()},
                                     {"message", Text()},
                                 });
  return type;
}

const TypedStruct& NamespaceStatusType() {
  static const TypedStruct type =
      Make("NamespaceStatus", {
                                  {"phase", Text("v1.NamespacePhase")},
                                  {"conditions", ListOf(StructOf(NamespaceConditionType()))},
                              });
  return type;
}

const TypedStruct& ScaleSpecType() {
  static const TypedStruct type = Make("ScaleSpec", {{"replicas", Integer32()}});
  return type;
}

const TypedStruct& ScaleStatusType() {
  static const TypedStruct type = Make("ScaleStatus", {
                                                          {"replicas", Integer32(), Omit::kNever},
                                                          {"selector", Text()},
                                                      });
  return type;
}

}  // namespace

const TypedStruct& NamespaceType() {
  static const TypedStruct type = Make("Namespace", WithTypeMeta({
                                                        {"metadata", StructOf(ObjectMetaType())},
                                                        {"spec", StructOf(NamespaceSpecType())},
                                                        {"status", StructOf(NamespaceStatusType())},
                                                    }));
  return type;
}

const TypedStruct& ScaleType() {
  static const TypedStruct type = Make("Scale", WithTypeMeta({
                                                    {"metadata", StructOf(ObjectMetaType())},
                                                    {"spec", StructOf(ScaleSpecType())},
                                                    {"status", StructOf(ScaleStatusType())},
                                                }));
  return type;
}

}  // namespace annex::schema
