#include "annex/selector/terms.h"

#include <utility>

namespace annex::selector {
namespace {

void AppendText(std::string& out, std::string_view text) {
  std::size_t length = text.size();
  for (; length >= 0x80; length >>= 7U) out += static_cast<char>((length & 0x7FU) | 0x80U);
  out += static_cast<char>(length);
  out += text;
}

}  // namespace

std::string LabelTerm(std::string_view key) {
  return std::string("L").append(key);
}
std::string FieldTerm(std::string_view index_name) {
  return std::string("F").append(index_name);
}

TermSet::TermSet(const std::map<std::string, std::string>& terms) {
  for (const auto& [name, value] : terms) {
    AppendText(encoded_, name);
    AppendText(encoded_, value);
  }
}

TermSet TermSet::FromEncoded(std::string encoded) {
  TermSet set;
  set.encoded_ = std::move(encoded);
  return set;
}

std::optional<std::string_view> TermReader::NextText() {
  std::size_t length = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    length |= static_cast<std::size_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) {
      if (length > rest_.size()) return std::nullopt;
      const std::string_view text = rest_.substr(0, length);
      rest_.remove_prefix(length);
      return text;
    }
  }
  return std::nullopt;
}

std::optional<TermReader::Term> TermReader::Next() {
  const auto name = NextText();
  if (!name) return std::nullopt;
  const auto value = NextText();
  if (!value) return std::nullopt;
  return Term{*name, *value};
}

std::optional<std::string_view> FindTerm(std::string_view encoded, std::string_view name) {
  TermReader reader(encoded);
  while (const auto term = reader.Next()) {
    if (term->name == name) return term->value;
    if (term->name > name) break;
  }
  return std::nullopt;
}

}  // namespace annex::selector
