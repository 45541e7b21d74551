#include "formats.h"

#include "annex/schema/format.h"
#include "ip.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace annex::schema {
namespace {

struct Format {
  std::string_view name;  // without dashes
  FormatCheck check;
};

bool Anything(std::string_view /*text*/) {
  return true;
}

constexpr Format kFormats[] = {
    {"bsonobjectid", IsBsonObjectId},
    {"byte", IsBase64Format},
    {"cidr", IsSloppyCidr},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"datetime", IsDateTime},
    {"duration", IsDuration},
    {"email", IsEmail},
    {"hexcolor", IsHexColor},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4Format},
    {"ipv6", IsIpv6Format},
    {"isbn", IsIsbn},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"mac", IsMac},
    {"password", Anything},
    {"rgbcolor", IsRgbColor},
    {"ssn", IsSsn},
    {"uri", IsUri},
    {"uuid", IsUuid},
    {"uuid3", IsUuid3},
    {"uuid4", IsUuid4},
    {"uuid5", IsUuid5},
};

}  // namespace

FormatCheck FindFormat(std::string_view name) {
  std::string plain(name);
  std::erase(plain, '-');
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&plain](const Format& format) { return format.name == plain; });
  return found == std::end(kFormats) ? nullptr : found->check;
}

bool IsKnownFormat(std::string_view format) {
  return FindFormat(format) != nullptr;
}

}  // namespace annex::schema
