// The string formats that kube-apiserver checks (k8s.io/kube-openapi/pkg/validation/strfmt).
//
// Thread rule: free functions; a check may be called from any thread.
#pragma once

#include "annex/schema/node.h"

#include <string_view>

namespace annex::schema {

// The check of a format ("date-time"; dashes do not count); nullptr for one that is not checked.
//
// These are the formats of the compatibility version 1.33, as kube-apiserver 1.34 has it: k8s-short-name and
// k8s-long-name are known from 1.34 on and so are not checked yet.
FormatCheck FindFormat(std::string_view name);

// formats_network.cc
bool IsUri(std::string_view text);
bool IsHostname(std::string_view text);
bool IsIpv4Format(std::string_view text);
bool IsIpv6Format(std::string_view text);
bool IsMac(std::string_view text);
// formats_email.cc
bool IsEmail(std::string_view text);
// formats_time.cc
bool IsDate(std::string_view text);
bool IsDateTime(std::string_view text);
bool IsDuration(std::string_view text);
// formats_code.cc
bool IsBsonObjectId(std::string_view text);
bool IsUuid(std::string_view text);
bool IsUuid3(std::string_view text);
bool IsUuid4(std::string_view text);
bool IsUuid5(std::string_view text);
bool IsIsbn(std::string_view text);
bool IsIsbn10(std::string_view text);
bool IsIsbn13(std::string_view text);
bool IsCreditCard(std::string_view text);
bool IsSsn(std::string_view text);
bool IsHexColor(std::string_view text);
bool IsRgbColor(std::string_view text);
bool IsBase64Format(std::string_view text);

}  // namespace annex::schema
