#include "go_base64.h"

#include <array>
#include <cstdint>
#include <optional>

namespace annex::schema {
namespace {

constexpr char kPadding = '=';

int Digit(char character) {
  if (character >= 'A' && character <= 'Z') return character - 'A';
  if (character >= 'a' && character <= 'z') return character - 'a' + 26;
  if (character >= '0' && character <= '9') return character - '0' + 52;
  if (character == '+') return 62;
  return character == '/' ? 63 : -1;
}

// Reads in groups of four digits. A failure is the place that Go blames, which is not always where it
// noticed.
class Decoder {
 public:
  explicit Decoder(std::string_view text) : text_(text) {}

  tl::expected<std::string, std::string> Decode() {
    while (position_ < text_.size() && !corrupt_) ReadGroup();
    if (corrupt_)
      return tl::make_unexpected("illegal base64 data at input byte " + std::to_string(*corrupt_));
    return std::move(bytes_);
  }

 private:
  void SkipLineEnds() {
    while (position_ < text_.size() && (text_[position_] == '\n' || text_[position_] == '\r')) ++position_;
  }

  void ReadGroup() {
    std::uint32_t group = 0;
    for (std::size_t count = 0; count < 4;) {
      if (position_ == text_.size()) {
        if (count > 0) corrupt_ = position_ - count;
        return;
      }
      const char character = text_[position_++];
      if (const int digit = Digit(character); digit >= 0) {
        group |= static_cast<std::uint32_t>(digit) << (18U - 6U * count);
        ++count;
      } else if (character == kPadding) {
        ReadPadding(group, count);
        return;
      } else if (character != '\n' && character != '\r') {
        corrupt_ = position_ - 1;
        return;
      }
    }
    Append(group, 3);
  }

  // A padding sign was read after `count` digits of a group.
  void ReadPadding(std::uint32_t group, std::size_t count) {
    if (count < 2) {
      corrupt_ = position_ - 1;
      return;
    }
    if (count == 2) {
      SkipLineEnds();
      if (position_ == text_.size() || text_[position_] != kPadding) {
        corrupt_ = position_ == text_.size() ? position_ : position_ - 1;
        return;
      }
      ++position_;
    }
    SkipLineEnds();
    if (position_ < text_.size()) corrupt_ = position_;
    Append(group, count - 1);
  }

  void Append(std::uint32_t group, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes_ += static_cast<char>((group >> (16U - 8U * i)) & 0xFFU);
  }

  const std::string_view text_;
  std::size_t position_ = 0;
  std::string bytes_;
  std::optional<std::size_t> corrupt_;
};

}  // namespace

tl::expected<std::string, std::string> DecodeBase64(std::string_view text) {
  return Decoder(text).Decode();
}

}  // namespace annex::schema
