// TermSet: what an object can be selected by, apart from its name and namespace: its labels and its
// selectable fields, as name/value pairs in one compact string.
//
// The store keeps a TermSet beside each object, indexes every term and matches selectors against it, so
// selecting needs no JSON and the store knows nothing of labels, fields or resources.
//
// Encoding: the terms one after another, sorted by name; each is varint(length of name), name, varint(length
// of value), value. Example, {app: web} and .spec.size 3 of v1: "\x04L" "app" "\x03" "web" "\x0b"
// "F.spec.size" "\x01" "3".
//
// Thread rule: a value type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace annex::selector {

// The names of terms: a label's key after 'L', a field's index name after 'F'. Neither contains '='.
std::string LabelTerm(std::string_view key);
std::string FieldTerm(std::string_view index_name);

class TermSet {
 public:
  TermSet() = default;
  explicit TermSet(const std::map<std::string, std::string>& terms);
  // Takes what encoded() gave. REQUIRES: it did; stored bytes are checked by the store's own checksums, not
  // here.
  static TermSet FromEncoded(std::string encoded);

  const std::string& encoded() const { return encoded_; }
  bool operator==(const TermSet&) const = default;

 private:
  std::string encoded_;
};

// Reads an encoded TermSet in place.
class TermReader {
 public:
  explicit TermReader(std::string_view encoded) : rest_(encoded) {}

  struct Term {
    std::string_view name;
    std::string_view value;
  };
  // The next term; nullopt at the end (or at damaged bytes).
  std::optional<Term> Next();

 private:
  std::optional<std::string_view> NextText();
  std::string_view rest_;
};

// The value of the term `name`, if the set has it.
std::optional<std::string_view> FindTerm(std::string_view encoded, std::string_view name);

}  // namespace annex::selector
