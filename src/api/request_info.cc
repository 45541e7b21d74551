#include "request_info.h"

#include "annex/base/names.h"
#include "annex/base/strings.h"
#include "annex/selector/field_selector.h"

#include <algorithm>

namespace annex::api {
namespace {

base::Result<std::vector<std::string>> SplitPath(std::string_view path) {
  std::vector<std::string> segments;
  while (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return segments;
  for (const std::string_view segment : base::Split(path, '/')) {
    if (segment.empty() || segment == "." || segment == ".." ||
        segment.find('\0') != std::string_view::npos) {
      return base::Error(base::Reason::kBadRequest,
                         "the path contains a segment that is not allowed: " + base::Quote(segment));
    }
    segments.emplace_back(segment);
  }
  return segments;
}

std::string VerbOf(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return "";
}

// Any value but "false" and "0" asks for a watch, the empty one too.
bool AsksForWatch(const QueryParameters& query) {
  if (!query.Has("watch")) return false;
  const std::string value = base::AsciiLower(query.Get("watch"));
  return value != "false" && value != "0";
}

// A list narrowed to one name by its field selector counts as a request for that name, so that rules for the
// name apply.
std::string NameInSelector(const QueryParameters& query) {
  const auto requirements = selector::ParseFieldSelector(query.Get("fieldSelector"));
  if (!requirements) return "";
  const auto found = std::find_if(requirements->begin(), requirements->end(), [](const auto& requirement) {
    return requirement.field == "metadata.name" && requirement.equal;
  });
  return found != requirements->end() && base::CheckPathSegment(found->value).empty() ? found->value : "";
}

// Reads the segments from the one after the version on.
void ReadResource(RequestInfo& info, std::size_t next, const QueryParameters& query) {
  const auto& segments = info.segments;
  if (segments[next] == "namespaces" && next + 1 < segments.size()) {
    info.namespace_name = segments[next + 1];
    // namespaces/NAME/status is the namespace's own subresource, not a resource in it.
    if (next + 2 < segments.size() && segments[next + 2] != "status" && segments[next + 2] != "finalize") {
      next += 2;
      info.namespace_in_path = true;
    }
  }
  info.parts = segments.size() - next;
  info.resource = segments[next];
  if (info.parts >= 2) info.name = segments[next + 1];
  if (info.parts >= 3) info.subresource = segments[next + 2];
  if (info.name.empty() && info.verb == "get") {
    info.verb = AsksForWatch(query) ? "watch" : "list";
    info.name = NameInSelector(query);
    if (!info.name.empty()) info.parts = 1;
  }
  if (info.name.empty() && info.verb == "delete") info.verb = "deletecollection";
}

}  // namespace

base::Result<RequestInfo> ParseRequestInfo(std::string_view method, std::string_view path,
                                           const QueryParameters& query) {
  RequestInfo info;
  auto decoded = PercentDecode(path, false);
  if (!decoded || !decoded->starts_with('/')) {
    return base::Error(base::Reason::kBadRequest, "the path of the request is malformed");
  }
  info.path = *std::move(decoded);
  info.verb = base::AsciiLower(method);
  ANNEX_TRY(info.segments, SplitPath(info.path));
  const auto& segments = info.segments;
  std::size_t next = 0;
  if (segments.size() >= 3 && segments[0] == "api") {
    next = 1;
  } else if (segments.size() >= 4 && segments[0] == "apis") {
    info.group = segments[1];
    next = 2;
  } else {
    return info;
  }
  info.resource_request = true;
  info.version = segments[next++];
  info.verb = VerbOf(method);
  if (segments[next] == "watch" || segments[next] == "proxy") {
    if (next + 1 >= segments.size()) {
      info.incomplete = true;
      return info;
    }
    info.verb = segments[next++];
    info.watch_prefix = true;
  }
  ReadResource(info, next, query);
  return info;
}

}  // namespace annex::api
