// ConversionReview: the struct of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go, as an
// answer is read into it.
#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& CauseType() {
  static const TypedStruct type = Make("StatusCause", {
                                                          {"field", Text()},
                                                          {"message", Text()},
                                                          {"reason", Text("v1.CauseType")},
                                                      });
  return type;
}

const TypedStruct& DetailsType() {
  static const TypedStruct type = Make("StatusDetails", {
                                                            {"causes", ListOf(StructOf(CauseType()))},
                                                            {"group", Text()},
                                                            {"kind", Text()},
                                                            {"name", Text()},
                                                            {"retryAfterSeconds", Integer32()},
                                                            {"uid", Text("types.UID")},
                                                        });
  return type;
}

const TypedStruct& ListMetaType() {
  static const TypedStruct type = Make("ListMeta", {
                                                       {"continue", Text()},
                                                       {"remainingItemCount", Pointer(Integer64())},
                                                       {"resourceVersion", Text()},
                                                       {"selfLink", Text()},
                                                   });
  return type;
}

const TypedStruct& ResultType() {
  static const TypedStruct type = Make("Status", WithTypeMeta({
                                                     {"code", Integer32()},
                                                     {"details", Pointer(StructOf(DetailsType()))},
                                                     {"message", Text()},
                                                     {"metadata", StructOf(ListMetaType())},
                                                     {"reason", Text("v1.StatusReason")},
                                                     {"status", Text()},
                                                 }));
  return type;
}

const TypedStruct& RequestType() {
  static const TypedStruct type =
      Make("ConversionRequest", {
                                    {"desiredAPIVersion", Text(), Omit::kNever},
                                    {"objects", ListOf(Raw("runtime.RawExtension")), Omit::kNever},
                                    {"uid", Text("types.UID"), Omit::kNever},
                                });
  return type;
}

const TypedStruct& ResponseType() {
  static const TypedStruct type =
      Make("ConversionResponse", {
                                     {"convertedObjects", ListOf(Raw("runtime.RawExtension")), Omit::kNever},
                                     {"result", StructOf(ResultType())},
                                     {"uid", Text("types.UID"), Omit::kNever},
                                 });
  return type;
}

}  // namespace

const TypedStruct& ConversionReviewType() {
  static const TypedStruct type =
      Make("ConversionReview", WithTypeMeta({
                                   {"request", Pointer(StructOf(RequestType()))},
                                   {"response", Pointer(StructOf(ResponseType()))},
                               }));
  return type;
}

}  // namespace annex::schema
