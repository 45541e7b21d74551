// YamlEmitter: the text side of writing YAML, with the layout rules of libyaml that go-yaml v2 follows.
//
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace annex::json {

class YamlEmitter {
 public:
  enum class Context : std::uint8_t { kRoot, kSequence, kMapping };

  // Whether `lines` further lines may be indented as deep as now. Indentation multiplies what a deep value
  // holds, so there is a limit, which no ordinary document comes near; beyond it values go on one line.
  bool Fits(std::size_t lines) const;

  // Indent for the keys of a mapping or the dashes of a sequence; give the result back to Unindent.
  int IndentMapping();
  int IndentSequence(Context context);
  void Unindent(int outer) { indent_ = outer; }

  // A key with its colon, on a line of its own.
  void WriteKey(std::string_view key);
  void WriteDash();
  // Numbers and words as they are.
  void WritePlain(std::string_view text);
  // A string in the style that reads back as the same string.
  void WriteString(std::string_view text);
  // "[]", "{}" or other flow-style text.
  void WriteFlow(std::string_view text);
  void Finish() { WriteIndent(); }

  std::string& Text() { return text_; }

 private:
  enum class Style : std::uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };
  // What the characters of a string allow.
  struct Analysis {
    bool multiline = false;
    bool plain = true;
    bool single_quoted = true;
    bool literal = true;
  };

  static Analysis Analyze(std::string_view text);
  Style ChooseStyle(std::string_view text, bool simple_key) const;

  void Put(char c);
  void PutCharacter(std::string_view text, std::size_t& position);
  void PutBreak();
  void WriteBreak(std::string_view text, std::size_t& position);
  void WriteIndent();
  void WriteIndicator(std::string_view text, bool after_space, bool keeps_indention);
  // `foldable`: long lines may be broken at spaces.
  void WriteScalar(std::string_view text, Style style, bool foldable);
  void WriteUnescaped(std::string_view text, bool quoted, bool foldable);
  void WriteDoubleQuoted(std::string_view text, bool foldable);
  void WriteEscape(std::string_view text, std::size_t& position);
  void WriteLiteral(std::string_view text);

  std::string text_;
  std::size_t indentation_bytes_ = 0;  // in text_
  int indent_ = -1;
  int column_ = 0;
  // Whether the last character was white space, and whether only indentation came on this line.
  bool whitespace_ = true;
  bool indention_ = true;
};

}  // namespace annex::json
