#include "field_versions.h"

#include <algorithm>
#include <utility>

namespace annex::api {

using json::Value;

const ownership::ObjectType* FieldVersions::TypeOf(std::string_view api_version) const {
  return strategy_.versions().TypeOf(api_version);
}

base::Result<Value> FieldVersions::Convert(const Value& object, std::string_view api_version) const {
  if (!strategy_.HasWebhook()) return strategy_.versions().Convert(object, api_version);
  const auto known =
      std::find_if(conversions_.begin(), conversions_.end(), [&](const Conversion& conversion) {
        return conversion.api_version == api_version && conversion.object == object;
      });
  if (known != conversions_.end() && known->result) return *known->result;
  if (known == conversions_.end()) conversions_.push_back({object, std::string(api_version), std::nullopt});
  return base::Error(Unspecified("the object is not converted yet"));
}

bool FieldVersions::Missing() const {
  return std::any_of(conversions_.begin(), conversions_.end(),
                     [](const Conversion& conversion) { return !conversion.result; });
}

base::Task<base::Result<void>> FieldVersions::Fetch(base::Executor& executor) {
  for (Conversion& conversion : conversions_) {
    if (conversion.result) continue;
    conversion.result = co_await strategy_.ConvertTo(conversion.object, conversion.api_version, executor);
  }
  co_return base::Result<void>();
}

}  // namespace annex::api
