// Pattern: a regular expression of a schema, with the syntax and the decisions of Go's package regexp.
//
// RE2 and Go's package are siblings: linear in time, without back-references. What one of them lacks is
// evened out here:
//   (?<name>…)  Go's second spelling of a named group is rewritten for RE2
//   \C          RE2's single byte is refused, as by Go, and so are names of groups beyond ASCII
// What remains different: the tables of Unicode (RE2 of Debian 12 has 14.0, Go 15.0), and where an expression
// counts as too large (Go by repetitions and by the size of its program, RE2 by the memory that the program
// takes).
//
// Thread rule: a compiled Pattern is immutable and thread-safe. Ownership: shared_ptr<const Pattern>.
#pragma once

#include "annex/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace annex::schema {

class Pattern {
 public:
  // Errors: Invalid, with Go's text: "error parsing regexp: missing closing ]: `[a`".
  static base::Result<std::shared_ptr<const Pattern>> Compile(const std::string& text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Whether the expression matches anywhere in `text`.
  bool Matches(std::string_view text) const;

  // The instructions of its program, 16 bytes each.
  std::size_t size() const;

  // The expression as it was given.
  const std::string& text() const { return text_; }

 private:
  Pattern(std::string text, std::unique_ptr<const re2::RE2> expression);
  const std::string text_;
  const std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace annex::schema
