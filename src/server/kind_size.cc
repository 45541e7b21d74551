#include "kind_size.h"

#include "annex/json/read.h"
#include "text_table.h"

#include <utility>

namespace annex::server {
namespace {

// Enough to go by, and little to send where objects are large.
constexpr const char* kSample = "50";

}  // namespace

base::Task<base::Result<KindSize>> MeasureKind(kube::Client& client, std::string path,
                                               base::Executor& executor) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = path + "?limit=" + kSample;
  ANNEX_CO_TRY(const kube::TextAnswer answer, co_await client.Fetch(std::move(call), executor));
  const auto page = json::Parse(answer.text);
  if (!page || answer.status != 200) {
    co_return base::Error(
        base::Reason::kServiceUnavailable,
        "GET " + path + ": " + kube::Answer{answer.status, page ? *page : json::Value()}.Message());
  }
  const auto sampled = static_cast<std::int64_t>(json::ItemsAt(*page, {"items"}).size());
  KindSize size;
  size.objects = sampled + json::IntegerAt(*page, {"metadata", "remainingItemCount"});
  if (sampled == 0) co_return size;
  size.estimated = size.objects > sampled;
  size.bytes = static_cast<std::int64_t>(answer.text.size()) / sampled * size.objects;
  co_return size;
}

std::string SizeText(const KindSize& size) {
  return (size.estimated ? "about " : "") + BytesText(size.bytes);
}

}  // namespace annex::server
