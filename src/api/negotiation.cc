#include "negotiation.h"

#include "annex/base/strings.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

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

// Blanks only: what goautoneg trims.
std::string_view TrimBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

double ParseQuality(std::string_view text) {
  double quality = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quality);
  return error == std::errc() && end == text.data() + text.size() ? quality : 0;
}

// nullopt for what is no media range: "rubbish", "a/b/c".
std::optional<AcceptClause> ParseClause(std::string_view text) {
  AcceptClause clause;
  const auto parts = base::Split(text, ';');
  const auto names = base::Split(parts[0], '/');
  clause.type = TrimBlanks(names[0]);
  if (names.size() == 1 || (names.size() == 2 && names[1].empty())) {
    if (clause.type != "*") return std::nullopt;
    clause.subtype = "*";
  } else if (names.size() == 2) {
    clause.subtype = TrimBlanks(names[1]);
  } else {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto pair = base::Split(parts[i], '=');
    if (pair.size() != 2 || pair[1].empty()) continue;
    const std::string_view name = TrimBlanks(pair[0]);
    if (name == "q") {
      clause.quality = ParseQuality(pair[1]);
    } else {
      clause.parameters[std::string(name)] = TrimBlanks(pair[1]);
    }
  }
  return clause;
}

// goautoneg's order: no order in the strict sense, as a more specific clause comes before a wildcard of a
// better quality and also the other way round. What it sorts with decides then (OrderClauses).
bool ComesBefore(const AcceptClause& a, const AcceptClause& b) {
  if (a.quality > b.quality) return true;
  if (a.type != "*" && b.type == "*") return true;
  return a.subtype != "*" && b.subtype == "*";
}

// As many clauses as Go's sort.Sort sorts by insertion; nobody sends more.
constexpr std::size_t kMaxClauses = 12;

void OrderClauses(std::vector<AcceptClause>& clauses) {
  if (clauses.size() > kMaxClauses) clauses.resize(kMaxClauses);
  for (std::size_t i = 1; i < clauses.size(); ++i) {
    for (std::size_t j = i; j > 0 && ComesBefore(clauses[j], clauses[j - 1]); --j)
      std::swap(clauses[j], clauses[j - 1]);
  }
}

bool Names(const AcceptClause& clause, std::string_view type, std::string_view subtype) {
  return (clause.type == type && (clause.subtype == subtype || clause.subtype == "*")) ||
         (clause.type == "*" && clause.subtype == "*");
}

std::string_view Parameter(const AcceptClause& clause, const char* name) {
  const auto found = clause.parameters.find(name);
  return found == clause.parameters.end() ? std::string_view() : found->second;
}

// What an answer can be in beside JSON and YAML.
struct Offer {
  bool forms = false;              // as=Table and the others
  bool group_discovery = false;    // as=APIGroupDiscoveryList, and nothing else
  bool protobuf = false;           // the document itself has a protobuf form
  bool protobuf_metadata = false;  // the partial forms have one
  bool stream = false;             // "stream=watch" may be asked for
};

constexpr Offer kObjectOffer = {.forms = true, .protobuf_metadata = true, .stream = true};
constexpr Offer kWatchOffer = {.forms = true, .stream = true};
constexpr Offer kDiscoveryOffer = {.protobuf = true, .stream = true};
constexpr Offer kGroupDiscoveryOffer = {.group_discovery = true, .protobuf = true, .stream = true};
constexpr Offer kStatusOffer = {.protobuf = true, .stream = true};

bool AsksForGroupDiscovery(const AcceptClause& clause) {
  return Parameter(clause, "g") == "apidiscovery.k8s.io" && Parameter(clause, "v") == "v2" &&
         Parameter(clause, "as") == "APIGroupDiscoveryList";
}

// The form that a clause's as, g and v ask for; nullopt if there is no such form.
std::optional<OutputFormat> FormOf(const AcceptClause& clause, const Offer& offer) {
  OutputFormat format;
  format.pretty = Parameter(clause, "pretty") == "1";
  if (offer.group_discovery) return AsksForGroupDiscovery(clause) ? std::optional(format) : std::nullopt;
  const bool converts =
      clause.parameters.contains("as") || clause.parameters.contains("g") || clause.parameters.contains("v");
  if (!converts) return format;
  const std::string_view version = Parameter(clause, "v");
  if (!offer.forms || Parameter(clause, "g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1"))
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

// Whether what follows the media type is "; name=value" each time, as Go's mime.ParseMediaType demands.
bool HasParameters(std::string_view content_type) {
  const auto parts = base::Split(content_type, ';');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = base::TrimSpace(parts[i]);
    const bool last = i + 1 == parts.size();
    const auto equals = part.find('=');
    if (part.empty() && last) continue;
    if (equals == 0 || equals == std::string_view::npos) return false;
  }
  return true;
}

struct Candidate {
  Encoding encoding;
  std::string_view subtype;
};
constexpr std::array<Candidate, 3> kCandidates = {
    {{Encoding::kJson, "json"}, {Encoding::kYaml, "yaml"}, {Encoding::kProtobuf, "vnd.kubernetes.protobuf"}}};

bool Streams(const AcceptClause& clause, const Offer& offer, Encoding encoding) {
  const std::string_view stream = Parameter(clause, "stream");
  return stream.empty() || (offer.stream && stream == "watch" && encoding != Encoding::kYaml);
}

bool Serves(const Offer& offer, Form form, Encoding encoding) {
  if (encoding != Encoding::kProtobuf) return true;
  if (form == Form::kObject) return offer.protobuf;
  return form != Form::kTable && offer.protobuf_metadata;
}

std::optional<OutputFormat> Choose(std::string_view accept, const Offer& offer) {
  if (accept.empty()) return OutputFormat();
  for (const AcceptClause& clause : ParseAccept(accept)) {
    const auto format = FormOf(clause, offer);
    if (!format) continue;
    for (const auto& [encoding, subtype] : kCandidates) {
      if (!Names(clause, "application", subtype) || !Streams(clause, offer, encoding) ||
          !Serves(offer, format->form, encoding)) {
        continue;
      }
      OutputFormat chosen = *format;
      chosen.encoding = encoding;
      return chosen;
    }
  }
  return std::nullopt;
}

base::Result<OutputFormat> Negotiate(const base::Headers& headers, const QueryParameters& query,
                                     const Offer& offer) {
  auto format = Choose(headers.First("accept"), offer);
  if (!format) return NotAcceptable(kAcceptedTypes);
  format->pretty = format->pretty || WantsPretty(headers, query);
  return *format;
}

}  // namespace

std::string_view OutputFormat::ContentType() const {
  switch (encoding) {
    case Encoding::kYaml:
      return "application/yaml";
    case Encoding::kProtobuf:
      return "application/vnd.kubernetes.protobuf";
    case Encoding::kJson:
      break;
  }
  return "application/json";
}

std::vector<AcceptClause> ParseAccept(std::string_view accept) {
  std::vector<AcceptClause> clauses;
  for (const std::string_view part : base::Split(accept, ',')) {
    if (auto clause = ParseClause(TrimBlanks(part))) clauses.push_back(*std::move(clause));
  }
  OrderClauses(clauses);
  return clauses;
}

base::Result<OutputFormat> NegotiateOutput(const base::Headers& headers, const QueryParameters& query) {
  return Negotiate(headers, query, kObjectOffer);
}

base::Result<OutputFormat> NegotiateWatch(const base::Headers& headers, const QueryParameters& query) {
  // What no answer could be in is refused before what no stream can be in.
  auto format = Negotiate(headers, query, kWatchOffer);
  const bool yaml = format && format->encoding == Encoding::kYaml;
  const bool other = !format && Choose(headers.First("accept"), kObjectOffer).has_value();
  if (!yaml && !other) return format;
  return NotAcceptable("application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
}

base::Result<OutputFormat> NegotiateDiscovery(const base::Headers& headers, const QueryParameters& query) {
  return Negotiate(headers, query, kDiscoveryOffer);
}

std::optional<OutputFormat> NegotiateGroupDiscovery(const base::Headers& headers,
                                                    const QueryParameters& query) {
  // Who says nothing gets a legacy document.
  if (headers.First("accept").empty()) return std::nullopt;
  auto format = Choose(headers.First("accept"), kGroupDiscoveryOffer);
  if (format) format->pretty = format->pretty || WantsPretty(headers, query);
  return format;
}

std::optional<OutputFormat> NegotiateStatus(const base::Headers& headers, const QueryParameters& query) {
  const auto format = Negotiate(headers, query, kStatusOffer);
  return format ? std::optional<OutputFormat>(*format) : std::nullopt;
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
  const std::string_view header = headers.First("content-type");
  if (header.empty()) return Encoding::kJson;
  const std::string type = HasParameters(header) ? MediaTypeOf(header) : "";
  if (type == "application/json") return Encoding::kJson;
  if (type == "application/yaml") return Encoding::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return Encoding::kProtobuf;
  return base::Error(base::Reason::kUnsupportedMediaType,
                     "the body of the request was in an unknown format - accepted media types include: " +
                         std::string(kAcceptedTypes));
}

}  // namespace annex::api
