// The replicas of an object as an autoscaling/v1 Scale, and the forms in which a Scale is answered
// (k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go, scaleFromCustomResource).
//
// Thread rule: free functions.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/result.h"
#include "annex/definition/resource.h"
#include "annex/json/value.h"
#include "context.h"
#include "negotiation.h"
#include "options.h"

#include <string>

namespace annex::api {

struct ScaleView {
  json::Value scale;
  bool has_spec_replicas = false;
};

// Errors: what is at one of the paths has the wrong type.
base::Result<ScaleView> ScaleOf(const definition::ScaleSubresource& paths, const json::Value& object);

// How a request wants to see a Scale.
struct ScaleFormat {
  OutputFormat output;
  IncludeObject include = IncludeObject::kMetadata;
};

// Errors: NotAcceptable, BadRequest.
base::Result<ScaleFormat> ReadScaleFormat(const Context& context);

// The body of the answer. REQUIRES: `scale` is what ScaleOf made. Errors: NotAcceptable, which kube-apiserver
// too finds out only now.
base::Result<std::string> FinishScale(const ScaleFormat& format, const json::Value& scale,
                                      const base::Clock& clock);

}  // namespace annex::api
