// IP addresses as Go reads them: net/netip (strict), and k8s.io/utils/net (sloppy: leading zeros are decimal,
// as before Go 1.17).
//
// Thread rule: free functions.
#pragma once

#include <string_view>

namespace annex::schema {

bool IsIpv4(std::string_view text);
// Without a zone. "::ffff:1.2.3.4" is one too.
bool IsIpv6(std::string_view text);
// Also with a zone: "fe80::1%eth0".
bool IsIpv6WithZone(std::string_view text);

bool IsSloppyIp(std::string_view text);
bool IsSloppyCidr(std::string_view text);

}  // namespace annex::schema
