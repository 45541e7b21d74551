#include "presenter.h"
#include "verbs.h"

namespace annex::api {

VerbResult Get(Context& context) {
  const Strategy& strategy = *context.strategy;
  ANNEX_TRY(const OutputFormat format, NegotiateOutput(context.request.headers, context.query));
  if (context.query.Has("export") && context.query.Get("export") == "true") {
    return base::Error(BadRequest("the export parameter, deprecated since v1.14, is no longer supported"));
  }
  ANNEX_TRY(const store::Revision wanted,
            ParseResourceVersion(context.query.Get("resourceVersion"), VersionPlace::kOther));
  if (wanted > context.parts.store.CurrentRevision()) {
    return base::Error(ResourceVersionTooLarge(wanted, context.parts.store.CurrentRevision()));
  }
  ANNEX_TRY(const IncludeObject include, format.form == Form::kTable
                                             ? ReadIncludeObject(context.query)
                                             : base::Result<IncludeObject>(IncludeObject::kMetadata));
  const Presenter presenter(context.strategy, format, include, context.parts.clock);
  base::Result<std::string> body = std::string();
  const auto present = [&](const store::Row& row) { body = presenter.Document(row); };
  ANNEX_TRY(const bool found, context.parts.store.Get(strategy.collection(), context.Key(), present));
  if (!found) return base::Error(NotFound(context.resource(), context.info.name));
  if (!body) return base::Error(body.error());
  return BodyResponse(200, format.ContentType(), *std::move(body));
}

}  // namespace annex::api
