// Small text helpers that several layers share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::base {

// Lower-case hexadecimal and RFC 4648 base64; the decoders refuse anything else with nullopt.
std::string HexEncode(std::string_view bytes);
std::string Base64Encode(std::string_view bytes);
std::optional<std::string> Base64Decode(std::string_view text);
// The URL-safe alphabet without padding, as continue tokens use it.
std::string Base64UrlEncode(std::string_view bytes);
std::optional<std::string> Base64UrlDecode(std::string_view text);

// Splits at each `separator`; an empty text has one empty part.
std::vector<std::string_view> Split(std::string_view text, char separator);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view TrimSpace(std::string_view text);
// ASCII only; other bytes stay.
std::string AsciiLower(std::string_view text);
std::string AsciiUpper(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// Text in double quotes, as Go's %q writes it: messages of kube-apiserver quote values this way.
std::string Quote(std::string_view text);
// Whether %q shows a character as it is (unicode.IsPrint).
bool IsPrintable(char32_t code_point);

// The whole text as a decimal number, or nullopt.
std::optional<std::uint64_t> ParseUint64(std::string_view text);
std::optional<std::int64_t> ParseInt64(std::string_view text);

// Decodes the UTF-8 sequence at `position` and moves past it. Invalid bytes give U+FFFD and move by one, as
// Go's decoder does.
char32_t NextCodePoint(std::string_view text, std::size_t& position);
void AppendUtf8(std::string& text, char32_t code_point);
std::size_t CountCodePoints(std::string_view text);

}  // namespace annex::base
