#include "negotiation.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace annex::api {
namespace {

constexpr std::string_view kAcceptedTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

auto NotAcceptable(std::string_view accepted) {
  return base::Error(base::Reason::kNotAcceptable,
                     "only the following media types are accepted: " + std::string(accepted));
}

// Go's strconv.ParseBool.
bool ParseBool(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" || text == "True";
}

AcceptClause ParseClause(std::string_view text) {
  AcceptClause clause;
  const auto parts = base::Split(text, ';');
  const std::string_view type = base::TrimSpace(parts[0]);
  const auto slash = type.find('/');
  clause.type = base::TrimSpace(type.substr(0, slash));
  if (slash != std::string_view::npos) {
    clause.subtype = base::TrimSpace(type.substr(slash + 1));
  } else if (clause.type == "*") {
    clause.subtype = "*";
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = base::TrimSpace(parts[i].substr(0, equals));
    const std::string_view value = base::TrimSpace(parts[i].substr(equals + 1));
    if (name == "q") {
      const auto result = std::from_chars(value.data(), value.data() + value.size(), clause.quality);
      if (result.ec != std::errc()) clause.quality = 1;
    } else {
      clause.parameters[std::string(name)] = value;
    }
  }
  return clause;
}

bool Names(const AcceptClause& clause, std::string_view type, std::string_view subtype) {
  return (clause.type == type && (clause.subtype == subtype || clause.subtype == "*")) ||
         (clause.type == "*" && clause.subtype == "*");
}

std::string_view Parameter(const AcceptClause& clause, const char* name) {
  const auto found = clause.parameters.find(name);
  return found == clause.parameters.end() ? std::string_view() : found->second;
}

// The form that a clause's as, g and v ask for; nullopt if there is no such form.
std::optional<OutputFormat> FormOf(const AcceptClause& clause, bool forms) {
  OutputFormat format;
  format.pretty = Parameter(clause, "pretty") == "1";
  const bool converts =
      clause.parameters.contains("as") || clause.parameters.contains("g") || clause.parameters.contains("v");
  if (!converts) return format;
  const std::string_view version = Parameter(clause, "v");
  if (!forms || Parameter(clause, "g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1"))
    return std::nullopt;
  const std::string_view as = Parameter(clause, "as");
  if (as == "Table") {
    format.form = Form::kTable;
  } else if (as == "PartialObjectMetadata") {
    format.form = Form::kPartialObjectMetadata;
  } else if (as == "PartialObjectMetadataList") {
    format.form = Form::kPartialObjectMetadataList;
  } else {
    return std::nullopt;
  }
  format.form_version = version;
  return format;
}

struct Offer {
  bool forms;  // as=Table and the others
  bool yaml;
  bool stream;  // "stream=watch" may be asked for
};

bool Streams(const AcceptClause& clause, const Offer& offer) {
  const std::string_view stream = Parameter(clause, "stream");
  return stream.empty() || (offer.stream && stream == "watch");
}

bool AcceptsProtobuf(std::string_view accept, const Offer& offer) {
  const auto clauses = ParseAccept(accept);
  return std::any_of(clauses.begin(), clauses.end(), [&](const AcceptClause& clause) {
    return Streams(clause, offer) && Names(clause, "application", "vnd.kubernetes.protobuf") &&
           FormOf(clause, offer.forms);
  });
}

std::optional<OutputFormat> Choose(std::string_view accept, const Offer& offer) {
  if (accept.empty()) return OutputFormat();
  for (const AcceptClause& clause : ParseAccept(accept)) {
    if (!Streams(clause, offer)) continue;
    const bool json = Names(clause, "application", "json");
    if (!json && !Names(clause, "application", "yaml")) continue;
    auto format = FormOf(clause, offer.forms);
    if (!format) continue;
    format->encoding = json ? Encoding::kJson : Encoding::kYaml;
    return format;
  }
  return std::nullopt;
}

base::Result<OutputFormat> Negotiate(const base::Headers& headers, const QueryParameters& query,
                                     const Offer& offer, std::string_view accepted) {
  auto format = Choose(headers.First("accept"), offer);
  if (!format || (format->encoding == Encoding::kYaml && !offer.yaml)) return NotAcceptable(accepted);
  format->pretty = format->pretty || WantsPretty(headers, query);
  return *format;
}

}  // namespace

std::string_view OutputFormat::ContentType() const {
  return encoding == Encoding::kYaml ? "application/yaml" : "application/json";
}

std::vector<AcceptClause> ParseAccept(std::string_view accept) {
  std::vector<AcceptClause> clauses;
  for (const std::string_view part : base::Split(accept, ',')) {
    if (!base::TrimSpace(part).empty()) clauses.push_back(ParseClause(part));
  }
  const auto specific = [](const AcceptClause& clause) {
    return (clause.type != "*" ? 2 : 0) + (clause.subtype != "*" ? 1 : 0);
  };
  std::stable_sort(clauses.begin(), clauses.end(), [&](const AcceptClause& a, const AcceptClause& b) {
    if (a.quality != b.quality) return a.quality > b.quality;
    return specific(a) > specific(b);
  });
  return clauses;
}

base::Result<OutputFormat> NegotiateOutput(const base::Headers& headers, const QueryParameters& query) {
  return Negotiate(headers, query, {true, true, true}, kAcceptedTypes);
}

base::Result<OutputFormat> NegotiateWatch(const base::Headers& headers, const QueryParameters& query) {
  // What no answer could be in is refused before what no stream can be in.
  const Offer offer = {true, false, true};
  const std::string_view accept = headers.First("accept");
  if (!Choose(accept, offer) && !AcceptsProtobuf(accept, offer)) return NotAcceptable(kAcceptedTypes);
  return Negotiate(headers, query, offer,
                   "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
}

base::Result<OutputFormat> NegotiatePlain(const base::Headers& headers, const QueryParameters& query) {
  return Negotiate(headers, query, {false, true, false}, kAcceptedTypes);
}

bool WantsPretty(const base::Headers& headers, const QueryParameters& query) {
  if (const std::string& pretty = query.Get("pretty"); !pretty.empty()) return ParseBool(pretty);
  const std::string_view agent = headers.First("user-agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

std::string MediaTypeOf(std::string_view header) {
  return base::AsciiLower(base::TrimSpace(header.substr(0, header.find(';'))));
}

base::Result<Encoding> NegotiateInput(const base::Headers& headers) {
  const std::string type = MediaTypeOf(headers.First("content-type"));
  if (type.empty() || type == "application/json") return Encoding::kJson;
  if (type == "application/yaml") return Encoding::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return Encoding::kProtobuf;
  return base::Error(base::Reason::kUnsupportedMediaType,
                     "the body of the request was in an unknown format - accepted media types include: " +
                         std::string(kAcceptedTypes));
}

}  // namespace annex::api
