// apiextensions.k8s.io/v1: the structs of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& NamesType() {
  static const TypedStruct type = Make("CustomResourceDefinitionNames", {
                                                                            {"categories", ListOf(Text())},
                                                                            {"kind", Text(), Omit::kNever},
                                                                            {"listKind", Text()},
                                                                            {"plural", Text(), Omit::kNever},
                                                                            {"shortNames", ListOf(Text())},
                                                                            {"singular", Text()},
                                                                        });
  return type;
}

const TypedStruct& ServiceReferenceType() {
  static const TypedStruct type = Make("ServiceReference", {
                                                               {"name", Text(), Omit::kNever},
                                                               {"namespace", Text(), Omit::kNever},
                                                               {"path", Pointer(Text())},
                                                               {"port", Pointer(Integer32())},
                                                           });
  return type;
}

const TypedStruct& WebhookClientConfigType() {
  static const TypedStruct type =
      Make("WebhookClientConfig", {
                                      {"caBundle", Bytes()},
                                      {"service", Pointer(StructOf(ServiceReferenceType()))},
                                      {"url", Pointer(Text())},
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
                                                 {"description", Text()},
                                                 {"format", Text()},
                                                 {"jsonPath", Text(), Omit::kNever},
                                                 {"name", Text(), Omit::kNever},
                                                 {"priority", Integer32()},
                                                 {"type", Text(), Omit::kNever},
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
                                                 {"labelSelectorPath", Pointer(Text())},
                                                 {"specReplicasPath", Text(), Omit::kNever},
                                                 {"statusReplicasPath", Text(), Omit::kNever},
                                             });
  return type;
}

const TypedStruct& SubresourcesType() {
  static const TypedStruct type =
      Make("CustomResourceSubresources", {
                                             {"scale", Pointer(StructOf(ScaleSubresourceType()))},
                                             {"status", Pointer(StructOf(StatusSubresourceType()))},
                                         });
  return type;
}

const TypedStruct& VersionType() {
  static const TypedStruct type = Make("CustomResourceDefinitionVersion",
                                       {
                                           {"additionalPrinterColumns", ListOf(StructOf(ColumnType()))},
                                           {"deprecated", Boolean()},
                                           {"deprecationWarning", Pointer(Text())},
                                           {"name", Text(), Omit::kNever},
                                           {"schema", Pointer(StructOf(ValidationType()))},
                                           {"selectableFields", ListOf(StructOf(SelectableFieldType()))},
                                           {"served", Boolean(), Omit::kNever},
                                           {"storage", Boolean(), Omit::kNever},
                                           {"subresources", Pointer(StructOf(SubresourcesType()))},
                                       });
  return type;
}

const TypedStruct& SpecType() {
  static const TypedStruct type =
      Make("CustomResourceDefinitionSpec", {
                                               {"conversion", Pointer(StructOf(ConversionType()))},
                                               {"group", Text(), Omit::kNever},
                                               {"names", StructOf(NamesType()), Omit::kNever},
                                               {"preserveUnknownFields", Boolean()},
                                               {"scope", Text("v1.ResourceScope"), Omit::kNever},
                                               {"versions", ListOf(StructOf(VersionType())), Omit::kNever},
                                           });
  return type;
}

const TypedStruct& ConditionType() {
  static const TypedStruct type =
      Make("CustomResourceDefinitionCondition",
           {
               {"lastTransitionTime", Time()},
               {"message", Text()},
               {"reason", Text()},
               {"status", Text("v1.ConditionStatus"), Omit::kNever},
               {"type", Text("v1.CustomResourceDefinitionConditionType"), Omit::kNever},
           });
  return type;
}

const TypedStruct& StatusType() {
  static const TypedStruct type = Make("CustomResourceDefinitionStatus",
                                       {
                                           {"acceptedNames", StructOf(NamesType()), Omit::kNever},
                                           {"conditions", ListOf(StructOf(ConditionType())), Omit::kNever},
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
