#include "protobuf_fields.h"

#include <algorithm>
#include <map>

namespace annex::api {
namespace {

using FieldTable = std::map<std::string, std::vector<ProtobufField>, std::less<>>;

// metav1, core/v1, autoscaling/v1.
const FieldTable& MetaFields() {
  static const FieldTable table = {
      {"DeleteOptions",
       {{1, "gracePeriodSeconds"},
        {2, "preconditions"},
        {3, "orphanDependents"},
        {4, "propagationPolicy"},
        {5, "dryRun"},
        {6, "ignoreStoreReadErrorWithClusterBreakingPotential"}}},
      {"Preconditions", {{1, "uid", "UID"}, {2, "resourceVersion"}}},
      {"ObjectMeta",
       {{1, "name"},
        {2, "generateName"},
        {3, "namespace"},
        {4, "selfLink"},
        {5, "uid", "UID"},
        {6, "resourceVersion"},
        {7, "generation"},
        {8, "creationTimestamp"},
        {9, "deletionTimestamp"},
        {10, "deletionGracePeriodSeconds"},
        {11, "labels"},
        {12, "annotations"},
        {13, "ownerReferences"},
        {14, "finalizers"},
        {17, "managedFields"}}},
      {"OwnerReference",
       {{1, "kind"},
        {3, "name"},
        {4, "uid", "UID"},
        {5, "apiVersion", "APIVersion"},
        {6, "controller"},
        {7, "blockOwnerDeletion"}}},
      {"ManagedFieldsEntry",
       {{1, "manager"},
        {2, "operation"},
        {3, "apiVersion", "APIVersion"},
        {4, "time"},
        {6, "fieldsType"},
        {7, "fieldsV1"},
        {8, "subresource"}}},
      {"Scale", {{1, "metadata", "ObjectMeta"}, {2, "spec"}, {3, "status"}}},
      {"ScaleSpec", {{1, "replicas"}}},
      {"ScaleStatus", {{1, "replicas"}, {2, "selector"}}},
      {"ListMeta", {{1, "selfLink"}, {2, "resourceVersion"}, {3, "continue"}, {4, "remainingItemCount"}}},
      {"Status",
       {{1, "metadata", "ListMeta"},
        {2, "status"},
        {3, "message"},
        {4, "reason"},
        {5, "details"},
        {6, "code"}}},
      {"StatusDetails",
       {{1, "name"}, {2, "group"}, {3, "kind"}, {4, "causes"}, {5, "retryAfterSeconds"}, {6, "uid", "UID"}}},
      {"StatusCause", {{1, "reason", "Type"}, {2, "message"}, {3, "field"}}},
      {"Namespace", {{1, "metadata", "ObjectMeta"}, {2, "spec"}, {3, "status"}}},
      {"NamespaceSpec", {{1, "finalizers"}}},
      {"NamespaceStatus", {{1, "phase"}, {2, "conditions"}}},
      {"NamespaceCondition",
       {{1, "type"}, {2, "status"}, {4, "lastTransitionTime"}, {5, "reason"}, {6, "message"}}},
  };
  return table;
}

// metav1 and apidiscovery.k8s.io/v2: what discovery answers with.
const FieldTable& DiscoveryFields() {
  static const FieldTable table = {
      {"APIVersions", {{1, "versions"}, {2, "serverAddressByClientCIDRs"}}},
      {"ServerAddressByClientCIDR", {{1, "clientCIDR"}, {2, "serverAddress"}}},
      {"APIGroup",
       {{1, "name"}, {2, "versions"}, {3, "preferredVersion"}, {4, "serverAddressByClientCIDRs"}}},
      {"APIGroupList", {{1, "groups"}}},
      {"GroupVersionForDiscovery", {{1, "groupVersion"}, {2, "version"}}},
      {"APIResourceList", {{1, "groupVersion"}, {2, "resources"}}},
      {"APIResource",
       {{1, "name"},
        {2, "namespaced"},
        {3, "kind"},
        {4, "verbs", "", true},
        {5, "shortNames"},
        {6, "singularName"},
        {7, "categories"},
        {8, "group"},
        {9, "version"},
        {10, "storageVersionHash"}}},
      {"APIGroupDiscoveryList", {{1, "metadata", "ListMeta"}, {2, "items"}}},
      {"APIGroupDiscovery", {{1, "metadata", "ObjectMeta"}, {2, "versions"}}},
      {"APIVersionDiscovery", {{1, "version"}, {2, "resources"}, {3, "freshness"}}},
      {"APIResourceDiscovery",
       {{1, "resource"},
        {2, "responseKind"},
        {3, "scope"},
        {4, "singularResource"},
        {5, "verbs"},
        {6, "shortNames"},
        {7, "categories"},
        {8, "subresources"}}},
      {"APISubresourceDiscovery", {{1, "subresource"}, {2, "responseKind"}, {4, "verbs"}}},
      {"GroupVersionKind", {{1, "group"}, {2, "version"}, {3, "kind"}}},
  };
  return table;
}

// apiextensions.k8s.io/v1 without the schema.
const FieldTable& DefinitionFields() {
  static const FieldTable table = {
      {"CustomResourceDefinition", {{1, "metadata", "ObjectMeta"}, {2, "spec"}, {3, "status"}}},
      {"CustomResourceDefinitionSpec",
       {{1, "group"},
        {3, "names"},
        {4, "scope"},
        {7, "versions"},
        {9, "conversion"},
        {10, "preserveUnknownFields"}}},
      {"CustomResourceDefinitionNames",
       {{1, "plural"}, {2, "singular"}, {3, "shortNames"}, {4, "kind"}, {5, "listKind"}, {6, "categories"}}},
      {"CustomResourceDefinitionVersion",
       {{1, "name"},
        {2, "served"},
        {3, "storage"},
        {4, "schema"},
        {5, "subresources"},
        {6, "additionalPrinterColumns"},
        {7, "deprecated"},
        {8, "deprecationWarning"},
        {9, "selectableFields"}}},
      {"CustomResourceValidation", {{1, "openAPIV3Schema"}}},
      {"CustomResourceSubresources", {{1, "status"}, {2, "scale"}}},
      {"CustomResourceSubresourceStatus", {}},
      {"CustomResourceSubresourceScale",
       {{1, "specReplicasPath"}, {2, "statusReplicasPath"}, {3, "labelSelectorPath"}}},
      {"CustomResourceColumnDefinition",
       {{1, "name"},
        {2, "type"},
        {3, "format"},
        {4, "description"},
        {5, "priority"},
        {6, "jsonPath", "JSONPath"}}},
      {"SelectableField", {{1, "jsonPath", "JSONPath"}}},
      {"CustomResourceConversion", {{1, "strategy"}, {2, "webhook"}}},
      {"WebhookConversion", {{2, "clientConfig"}, {3, "conversionReviewVersions"}}},
      {"WebhookClientConfig", {{1, "service"}, {2, "caBundle", "CABundle"}, {3, "url", "URL"}}},
      {"ServiceReference", {{1, "namespace"}, {2, "name"}, {3, "path"}, {4, "port"}}},
      {"CustomResourceDefinitionStatus", {{1, "conditions"}, {2, "acceptedNames"}, {3, "storedVersions"}}},
      {"CustomResourceDefinitionCondition",
       {{1, "type"}, {2, "status"}, {3, "lastTransitionTime"}, {4, "reason"}, {5, "message"}}},
  };
  return table;
}

const FieldTable& SchemaFields() {
  static const FieldTable table = {
      {"JSONSchemaProps",
       {{1, "id", "ID"},
        {2, "$schema", "Schema"},
        {3, "$ref", "Ref"},
        {4, "description"},
        {5, "type"},
        {6, "format"},
        {7, "title"},
        {8, "default"},
        {9, "maximum"},
        {10, "exclusiveMaximum"},
        {11, "minimum"},
        {12, "exclusiveMinimum"},
        {13, "maxLength"},
        {14, "minLength"},
        {15, "pattern"},
        {16, "maxItems"},
        {17, "minItems"},
        {18, "uniqueItems"},
        {19, "multipleOf"},
        {20, "enum"},
        {21, "maxProperties"},
        {22, "minProperties"},
        {23, "required"},
        {24, "items"},
        {25, "allOf"},
        {26, "oneOf"},
        {27, "anyOf"},
        {28, "not"},
        {29, "properties"},
        {30, "additionalProperties"},
        {31, "patternProperties"},
        {32, "dependencies"},
        {33, "additionalItems"},
        {34, "definitions"},
        {35, "externalDocs"},
        {36, "example"},
        {37, "nullable"},
        {38, "x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"},
        {39, "x-kubernetes-embedded-resource", "XEmbeddedResource"},
        {40, "x-kubernetes-int-or-string", "XIntOrString"},
        {41, "x-kubernetes-list-map-keys", "XListMapKeys"},
        {42, "x-kubernetes-list-type", "XListType"},
        {43, "x-kubernetes-map-type", "XMapType"},
        {44, "x-kubernetes-validations", "XValidations"}}},
      {"ExternalDocumentation", {{1, "description"}, {2, "url", "URL"}}},
      {"ValidationRule",
       {{1, "rule"},
        {2, "message"},
        {3, "messageExpression"},
        {4, "reason"},
        {5, "fieldPath"},
        {6, "optionalOldSelf"}}},
  };
  return table;
}

}  // namespace

std::string ProtobufField::GoName() const {
  if (!go_name.empty()) return go_name;
  std::string text = name;
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

const std::vector<ProtobufField>& ProtobufFieldsOf(const schema::TypedStruct& structure) {
  static const std::vector<ProtobufField> kNone;
  for (const FieldTable* table : {&SchemaFields(), &MetaFields(), &DefinitionFields(), &DiscoveryFields()}) {
    if (const auto found = table->find(structure.go_name); found != table->end()) return found->second;
  }
  return kNone;
}

const ProtobufField* FindProtobufField(const schema::TypedStruct& structure, std::int32_t number) {
  const std::vector<ProtobufField>& fields = ProtobufFieldsOf(structure);
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [number](const auto& field) { return field.number == number; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace annex::api
