// Discovery: the structs of k8s.io/apimachinery/pkg/apis/meta/v1/types.go and
// k8s.io/api/apidiscovery/v2/types.go that Annex writes.
#include "annex/schema/types_discovery.h"

#include "annex/schema/types.h"
#include "typed_build.h"

namespace annex::schema {
namespace {

using namespace build;

const TypedStruct& GroupVersionType() {
  static const TypedStruct type = Make("GroupVersionForDiscovery", {
                                                                       {"groupVersion", Text(), Omit::kNever},
                                                                       {"version", Text(), Omit::kNever},
                                                                   });
  return type;
}

const TypedStruct& ServerAddressType() {
  static const TypedStruct type =
      Make("ServerAddressByClientCIDR", {
                                            {"clientCIDR", Text(), Omit::kNever},
                                            {"serverAddress", Text(), Omit::kNever},
                                        });
  return type;
}

const TypedStruct& ResourceType() {
  static const TypedStruct type = Make("APIResource", {
                                                          {"name", Text(), Omit::kNever},
                                                          {"singularName", Text(), Omit::kNever},
                                                          {"namespaced", Boolean(), Omit::kNever},
                                                          {"group", Text()},
                                                          {"version", Text()},
                                                          {"kind", Text(), Omit::kNever},
                                                          {"verbs", ListOf(Text()), Omit::kNever},
                                                          {"shortNames", ListOf(Text())},
                                                          {"categories", ListOf(Text())},
                                                          {"storageVersionHash", Text()},
                                                      });
  return type;
}

const TypedStruct& KindType() {
  static const TypedStruct type = Make("GroupVersionKind", {
                                                               {"group", Text(), Omit::kNever},
                                                               {"version", Text(), Omit::kNever},
                                                               {"kind", Text(), Omit::kNever},
                                                           });
  return type;
}

const TypedStruct& SubresourceDiscoveryType() {
  static const TypedStruct type = Make("APISubresourceDiscovery", {
                                                                      {"subresource", Text(), Omit::kNever},
                                                                      {"responseKind", StructOf(KindType())},
                                                                      {"verbs", ListOf(Text()), Omit::kNever},
                                                                  });
  return type;
}

const TypedStruct& ResourceDiscoveryType() {
  static const TypedStruct type =
      Make("APIResourceDiscovery", {
                                       {"resource", Text(), Omit::kNever},
                                       {"responseKind", StructOf(KindType())},
                                       {"scope", Text(), Omit::kNever},
                                       {"singularResource", Text(), Omit::kNever},
                                       {"verbs", ListOf(Text()), Omit::kNever},
                                       {"shortNames", ListOf(Text())},
                                       {"categories", ListOf(Text())},
                                       {"subresources", ListOf(StructOf(SubresourceDiscoveryType()))},
                                   });
  return type;
}

const TypedStruct& VersionDiscoveryType() {
  static const TypedStruct type =
      Make("APIVersionDiscovery", {
                                      {"version", Text(), Omit::kNever},
                                      {"resources", ListOf(StructOf(ResourceDiscoveryType()))},
                                      {"freshness", Text()},
                                  });
  return type;
}

const TypedStruct& GroupDiscoveryType() {
  static const TypedStruct type =
      Make("APIGroupDiscovery", WithTypeMeta({
                                    {"metadata", StructOf(ObjectMetaType())},
                                    {"versions", ListOf(StructOf(VersionDiscoveryType()))},
                                }));
  return type;
}

}  // namespace

const TypedStruct& RootPathsType() {
  static const TypedStruct type = Make("RootPaths", {{"paths", ListOf(Text()), Omit::kNever}});
  return type;
}

const TypedStruct& ApiVersionsType() {
  static const TypedStruct type =
      Make("APIVersions", WithTypeMeta({
                              {"versions", ListOf(Text()), Omit::kNever},
                              {"serverAddressByClientCIDRs", ListOf(StructOf(ServerAddressType()))},
                          }));
  return type;
}

const TypedStruct& ApiGroupType() {
  static const TypedStruct type =
      Make("APIGroup", WithTypeMeta({
                           {"name", Text(), Omit::kNever},
                           {"versions", ListOf(StructOf(GroupVersionType())), Omit::kNever},
                           {"preferredVersion", StructOf(GroupVersionType())},
                           {"serverAddressByClientCIDRs", ListOf(StructOf(ServerAddressType()))},
                       }));
  return type;
}

const TypedStruct& ApiGroupListType() {
  static const TypedStruct type =
      Make("APIGroupList", WithTypeMeta({{"groups", ListOf(StructOf(ApiGroupType())), Omit::kNever}}));
  return type;
}

const TypedStruct& ApiResourceListType() {
  static const TypedStruct type =
      Make("APIResourceList", WithTypeMeta({
                                  {"groupVersion", Text(), Omit::kNever},
                                  {"resources", ListOf(StructOf(ResourceType())), Omit::kNever},
                              }));
  return type;
}

const TypedStruct& ApiGroupDiscoveryListType() {
  static const TypedStruct type =
      Make("APIGroupDiscoveryList", WithTypeMeta({
                                        {"metadata", StructOf(ListMetaType())},
                                        {"items", ListOf(StructOf(GroupDiscoveryType())), Omit::kNever},
                                    }));
  return type;
}

}  // namespace annex::schema
