// apiextensions.k8s.io/v1: the structs of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& NamesType() {
  static const TypedStruct type = Make("CustomResourceDefinitionNames", {
                                                                            {"plural", Text(), Omit::kNever},
                                                                            {"singular", Text()},
                                                                            {"shortNames", ListOf(Text())},
                                                                            {"kind", Text(), Omit::kNever},
                                                                            {"listKind", Text()},
                                                                            {"categories", ListOf(Text())},
                                                                        });
  return type;
}

const TypedStruct& ServiceReferenceType() {
  static const TypedStruct type = Make("ServiceReference", {
                                                               {"namespace", Text(), Omit::kNever},
                                                               {"name", Text(), Omit::kNever},
                                                               {"path", Pointer(Text())},
                                                               {"port", Pointer(Integer32())},
                                                           });
  return type;
}

const TypedStruct& WebhookClientConfigType() {
  static const TypedStruct type =
      Make("WebhookClientConfig", {
                                      {"url", Pointer(Text())},
                                      {"service", Pointer(StructOf(ServiceReferenceType()))},
                                      {"caBundle", Bytes()},
                                  });
  return type;
}

const TypedStruct& WebhookConversionType() {
  static const TypedStruct type =
      Make("WebhookConversion", {
                                    {"clientConfig", Pointer(StructOf(WebhookClientConfigType()))},
                                    {"conversionReviewVersions", ListOf(Text()), Omit::kNever},
                                });
  return type;
}

const TypedStruct& ConversionType() {
  static const TypedStruct type =
      Make("CustomResourceConversion", {
                                           {"strategy", Text("v1.ConversionStrategyType"), Omit::kNever},
                                           {"webhook", Pointer(StructOf(WebhookConversionType()))},
                                       });
  return type;
}

const TypedStruct& ColumnType() {
  static const TypedStruct type =
      Make("CustomResourceColumnDefinition", {
                                                 {"name", Text(), Omit::kNever},
                                                 {"type", Text(), Omit::kNever},
                                                 {"format", Text()},
                                                 {"description", Text()},
                                                 {"priority", Integer32()},
                                                 {"jsonPath", Text(), Omit::kNever},
                                             });
  return type;
}

const TypedStruct& SelectableFieldType() {
  static const TypedStruct type = Make("SelectableField", {{"jsonPath", Text(), Omit::kNever}});
  return type;
}

const TypedStruct& ValidationType() {
  static const TypedStruct type =
      Make("CustomResourceValidation", {{"openAPIV3Schema", Pointer(StructOf(JsonSchemaPropsType()))}});
  return type;
}

const TypedStruct& StatusSubresourceType() {
  static const TypedStruct type = Make("CustomResourceSubresourceStatus", {});
  return type;
}

const TypedStruct& ScaleSubresourceType() {
  static const TypedStruct type =
      Make("CustomResourceSubresourceScale", {
                                                 {"specReplicasPath", Text(), Omit::kNever},
                                                 {"statusReplicasPath", Text(), Omit::kNever},
                                                 {"labelSelectorPath", Pointer(Text())},
                                             });
  return type;
}

const TypedStruct& SubresourcesType() {
  static const TypedStruct type =
      Make("CustomResourceSubresources", {
                                             {"status", Pointer(StructOf(StatusSubresourceType()))},
                                             {"scale", Pointer(StructOf(ScaleSubresourceType()))},
                                         });
  return type;
}

const TypedStruct& VersionType() {
  static const TypedStruct type = Make("CustomResourceDefinitionVersion",
                                       {
                                           {"name", Text(), Omit::kNever},
                                           {"served", Boolean(), Omit::kNever},
                                           {"storage", Boolean(), Omit::kNever},
                                           {"deprecated", Boolean()},
                                           {"deprecationWarning", Pointer(Text())},
                                           {"schema", Pointer(StructOf(ValidationType()))},
                                           {"subresources", Pointer(StructOf(SubresourcesType()))},
                                           {"additionalPrinterColumns", ListOf(StructOf(ColumnType()))},
                                           {"selectableFields", ListOf(StructOf(SelectableFieldType()))},
                                       });
  return type;
}

const TypedStruct& SpecType() {
  static const TypedStruct type =
      Make("CustomResourceDefinitionSpec", {
                                               {"group", Text(), Omit::kNever},
                                               {"names", StructOf(NamesType()), Omit::kNever},
                                               {"scope", Text("v1.ResourceScope"), Omit::kNever},
                                               {"versions", ListOf(StructOf(VersionType())), Omit::kNever},
                                               {"conversion", Pointer(StructOf(ConversionType()))},
                                               {"preserveUnknownFields", Boolean()},
                                           });
  return type;
}

const TypedStruct& ConditionType() {
  static const TypedStruct type =
      Make("CustomResourceDefinitionCondition",
           {
               {"type", Text("v1.CustomResourceDefinitionConditionType"), Omit::kNever},
               {"status", Text("v1.ConditionStatus"), Omit::kNever},
               {"lastTransitionTime", Time()},
               {"reason", Text()},
               {"message", Text()},
           });
  return type;
}

const TypedStruct& StatusType() {
  static const TypedStruct type = Make("CustomResourceDefinitionStatus",
                                       {
                                           {"conditions", ListOf(StructOf(ConditionType())), Omit::kNever},
                                           {"acceptedNames", StructOf(NamesType()), Omit::kNever},
                                           {"storedVersions", ListOf(Text()), Omit::kNever},
                                       });
  return type;
}

}  // namespace

const TypedStruct& CustomResourceDefinitionType() {
  static const TypedStruct type =
      Make("CustomResourceDefinition", WithTypeMeta({
                                           {"metadata", StructOf(ObjectMetaType())},
                                           {"spec", StructOf(SpecType()), Omit::kNever},
                                           {"status", StructOf(StatusType())},
                                       }));
  return type;
}

}  // namespace annex::schema
