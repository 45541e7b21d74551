// Decimal digits at the front of a text that is read from left to right.
//
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace annex::schema {

inline bool IsDigit(char character) {
  return character >= '0' && character <= '9';
}

// Takes the digits at the front of `text`; there may be none.
inline std::string_view TakeDigits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

}  // namespace annex::schema
