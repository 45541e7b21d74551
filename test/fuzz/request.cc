// "METHOD TARGET", and an Accept header behind a NUL: what is read of every request before anybody is known.
#include "api/list_query.h"
#include "api/negotiation.h"
#include "api/query_parameters.h"
#include "api/request_info.h"
#include "fuzz.h"

#include <algorithm>
#include <string>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annex;
  const auto [line, accept] = fuzz::Split(fuzz::Text(data, size));
  const auto space = std::min(line.find(' '), line.size());
  const std::string_view target = line.substr(std::min(space + 1, line.size()));
  const auto question = std::min(target.find('?'), target.size());
  const api::QueryParameters query(target.substr(std::min(question + 1, target.size())));
  const auto info = api::ParseRequestInfo(line.substr(0, space), target.substr(0, question), query);
  if (info) {
    for (const std::string& segment : info->segments) {
      ANNEX_CHECK(!segment.empty() && segment != "." && segment != "..", "odd segments are refused");
    }
  }
  base::Headers headers;
  headers.Add("accept", std::string(accept));
  headers.Add("content-type", std::string(accept));
  static_cast<void>(api::NegotiateOutput(headers, query));
  static_cast<void>(api::NegotiateInput(headers));
  const std::string& token = query.Get("continue");
  const auto point = api::DecodeContinue(token, "default/");
  if (point) {
    const auto again = api::DecodeContinue(api::EncodeContinue(*point, "default/"), "default/");
    ANNEX_CHECK(again && again->start == point->start && again->revision == point->revision,
                "a token says where to go on");
  }
  return 0;
}
