#include "query_parameters.h"

#include "annex/base/strings.h"

#include <algorithm>

namespace annex::api {
namespace {

std::optional<unsigned> HexDigit(char character) {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  const char lower = static_cast<char>(character | 0x20);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const auto high = i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? HexDigit(text[i + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return decoded;
}

QueryParameters::QueryParameters(std::string_view query) {
  if (query.empty()) return;
  for (const std::string_view pair : base::Split(query, '&')) {
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const auto equals = pair.find('=');
    auto name = PercentDecode(pair.substr(0, equals), true);
    auto value =
        PercentDecode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (name && value) parameters_.emplace_back(*std::move(name), *std::move(value));
  }
}

bool QueryParameters::Has(std::string_view name) const {
  return std::any_of(parameters_.begin(), parameters_.end(),
                     [name](const auto& pair) { return pair.first == name; });
}

const std::string& QueryParameters::Get(std::string_view name) const {
  static const std::string kNone;
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [name](const auto& pair) { return pair.first == name; });
  return found == parameters_.end() ? kNone : found->second;
}

std::vector<std::string> QueryParameters::All(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

}  // namespace annex::api
