// Identifiers, numbers with check digits, colours and base64 (the expressions of kube-openapi's govalidator,
// written out).
#include "digits.h"
#include "formats.h"

#include <algorithm>
#include <array>
#include <string>

namespace annex::schema {
namespace {

bool IsHex(char character) {
  const char lower = static_cast<char>(character | 0x20);
  return IsDigit(character) || (lower >= 'a' && lower <= 'f');
}
bool IsSpace(char character) {
  return std::string_view("\t\n\f\r ").find(character) != std::string_view::npos;
}

int DigitAt(std::string_view text, std::size_t index) {
  return text[index] - '0';
}
bool AllDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsDigit);
}

// The 32 digits of a UUID; "" if it is none. Each of its dashes may be missing.
std::string UuidDigits(std::string_view text) {
  std::string digits;
  for (const std::size_t length : {8U, 4U, 4U, 4U, 12U}) {
    if (!digits.empty() && text.starts_with('-')) text.remove_prefix(1);
    const std::string_view group = text.substr(0, length);
    if (group.size() < length || !std::all_of(group.begin(), group.end(), IsHex)) return {};
    digits += group;
    text.remove_prefix(length);
  }
  return text.empty() ? digits : std::string();
}

bool IsUuidVersion(std::string_view text, char version) {
  const std::string digits = UuidDigits(text);
  return !digits.empty() && digits[12] == version;
}

// Of the variant that RFC 4122 describes.
bool IsStandardUuid(std::string_view text, char version) {
  const std::string digits = UuidDigits(text);
  return !digits.empty() && digits[12] == version &&
         std::string_view("89abAB").find(digits[16]) != std::string_view::npos;
}

std::string WithoutSpacesAndDashes(std::string_view text) {
  std::string rest(text);
  std::erase_if(rest, [](char character) { return character == '-' || IsSpace(character); });
  return rest;
}

// The numbers of the big issuers: how they begin, and how long they are.
bool IsCardNumber(std::string_view number) {
  const auto length = number.size();
  const auto begins = [number](std::string_view prefix) { return number.starts_with(prefix); };
  if (begins("4")) return length == 13 || length == 16;
  if (length == 16 && begins("5")) return number[1] >= '1' && number[1] <= '5';
  if (length == 16 && begins("6")) return begins("6011") || begins("65");
  if (length == 15 && (begins("34") || begins("37"))) return true;
  if (length == 14 && (begins("36") || begins("38"))) return true;
  if (length == 14 && begins("30")) return number[2] >= '0' && number[2] <= '5';
  if (length == 15 && (begins("2131") || begins("1800"))) return true;
  return length == 16 && begins("35");
}

bool HasLuhnSum(std::string_view number) {
  int sum = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    int digit = DigitAt(number, number.size() - 1 - i);
    if (i % 2 == 1) digit = digit < 5 ? digit * 2 : digit * 2 - 9;
    sum += digit;
  }
  return sum % 10 == 0;
}

void SkipSpace(std::string_view& text) {
  while (!text.empty() && IsSpace(text[0])) text.remove_prefix(1);
}

// 0 to 255 without leading zeros.
bool TakeColorPart(std::string_view& text) {
  std::size_t digits = 0;
  int value = 0;
  while (digits < text.size() && digits < 4 && IsDigit(text[digits]))
    value = value * 10 + DigitAt(text, digits++);
  if (digits == 0 || value > 255 || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return true;
}

bool IsBase64Digit(char character) {
  const char lower = static_cast<char>(character | 0x20);
  return IsDigit(character) || (lower >= 'a' && lower <= 'z') || character == '+' || character == '/';
}

}  // namespace

bool IsBsonObjectId(std::string_view text) {
  return text.size() == 24 && std::all_of(text.begin(), text.end(), IsHex);
}

bool IsUuid(std::string_view text) {
  return !UuidDigits(text).empty();
}
bool IsUuid3(std::string_view text) {
  return IsUuidVersion(text, '3');
}
bool IsUuid4(std::string_view text) {
  return IsStandardUuid(text, '4');
}
bool IsUuid5(std::string_view text) {
  return IsStandardUuid(text, '5');
}

bool IsIsbn10(std::string_view text) {
  const std::string number = WithoutSpacesAndDashes(text);
  if (number.size() != 10 || !AllDigits(std::string_view(number).substr(0, 9))) return false;
  if (!IsDigit(number[9]) && number[9] != 'X') return false;
  int sum = 10 * (number[9] == 'X' ? 10 : DigitAt(number, 9));
  for (std::size_t i = 0; i < 9; ++i) sum += static_cast<int>(i + 1) * DigitAt(number, i);
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string number = WithoutSpacesAndDashes(text);
  if (number.size() != 13 || !AllDigits(number)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * DigitAt(number, i);
  return DigitAt(number, 12) == (10 - sum % 10) % 10;
}

bool IsIsbn(std::string_view text) {
  return IsIsbn10(text) || IsIsbn13(text);
}

bool IsCreditCard(std::string_view text) {
  std::string number(text);
  std::erase_if(number, [](char character) { return !IsDigit(character); });
  return IsCardNumber(number) && HasLuhnSum(number);
}

bool IsSsn(std::string_view text) {
  const auto separates = [](char character) { return character == '-' || character == ' '; };
  return text.size() == 11 && separates(text[3]) && separates(text[6]) && AllDigits(text.substr(0, 3)) &&
         AllDigits(text.substr(4, 2)) && AllDigits(text.substr(7));
}

bool IsHexColor(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && std::all_of(text.begin(), text.end(), IsHex);
}

bool IsRgbColor(std::string_view text) {
  constexpr std::string_view kBegin = "rgb(";
  if (!text.starts_with(kBegin)) return false;
  text.remove_prefix(kBegin.size());
  for (int part = 0; part < 3; ++part) {
    SkipSpace(text);
    if (!TakeColorPart(text)) return false;
    SkipSpace(text);
    if (part < 2) {
      if (!text.starts_with(',')) return false;
      text.remove_prefix(1);
    }
  }
  return text == ")";
}

bool IsBase64Format(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  std::string_view digits = text;
  for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.remove_suffix(1);
  return std::all_of(digits.begin(), digits.end(), IsBase64Digit);
}

}  // namespace annex::schema
