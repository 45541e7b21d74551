// Content negotiation: which form of an answer a request asks for, and which form its body has
// (k8s.io/apiserver/pkg/endpoints/handlers/negotiation).
//
// Thread rule: free functions and value types.
#pragma once

#include "annex/base/headers.h"
#include "annex/base/result.h"
#include "query_parameters.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

// Of answers, only a Status, discovery and the partial forms can be in protobuf.
enum class Encoding : std::uint8_t { kJson, kYaml, kProtobuf };

// What an object is shown as.
enum class Form : std::uint8_t { kObject, kTable, kPartialObjectMetadata, kPartialObjectMetadataList };

struct OutputFormat {
  Encoding encoding = Encoding::kJson;
  Form form = Form::kObject;
  std::string form_version;  // of meta.k8s.io, for kTable and the partial forms: "v1" or "v1beta1"
  bool pretty = false;

  // "application/json", "application/yaml", …
  std::string_view ContentType() const;
};

// One clause of an Accept header.
struct AcceptClause {
  std::string type;
  std::string subtype;
  double quality = 1;
  std::map<std::string, std::string> parameters;  // without q
};
// The clauses of an Accept header, best first, in the order of goautoneg, which Kubernetes reads them with.
std::vector<AcceptClause> ParseAccept(std::string_view accept);

// Chooses the form of an object or a list. Errors: NotAcceptable.
base::Result<OutputFormat> NegotiateOutput(const base::Headers& headers, const QueryParameters& query);
// The form of a watch's events, which only JSON can frame. Errors: NotAcceptable.
base::Result<OutputFormat> NegotiateWatch(const base::Headers& headers, const QueryParameters& query);
// For the legacy documents of discovery. Errors: NotAcceptable.
base::Result<OutputFormat> NegotiateDiscovery(const base::Headers& headers, const QueryParameters& query);
// For apidiscovery.k8s.io/v2 APIGroupDiscoveryList; nullopt if the client does not ask for it. A client that
// would take it gets it, even if it likes a legacy document better.
std::optional<OutputFormat> NegotiateGroupDiscovery(const base::Headers& headers,
                                                    const QueryParameters& query);

// For the Status of a failed request; nullopt if the client takes none of its forms.
std::optional<OutputFormat> NegotiateStatus(const base::Headers& headers, const QueryParameters& query);

// Whether answers are indented: ?pretty, or a client that a person reads with.
bool WantsPretty(const base::Headers& headers, const QueryParameters& query);

// How a request's body is encoded; no Content-Type means JSON. Errors: UnsupportedMediaType.
base::Result<Encoding> NegotiateInput(const base::Headers& headers);

// The media type of a header value, lower-case and without parameters: "application/json".
std::string MediaTypeOf(std::string_view header);

}  // namespace annex::api
