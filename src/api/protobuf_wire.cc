#include "protobuf_wire.h"

#include "status_text.h"

#include <cstddef>

namespace annex::api {
namespace {

constexpr unsigned kTypeBits = 3;
constexpr std::uint64_t kTypeMask = (1U << kTypeBits) - 1;
constexpr unsigned kValueBits = 64;

auto Failure(std::string message) {
  return base::Error(BadRequest(std::move(message)));
}

}  // namespace

base::Result<std::uint64_t> WireReader::ReadVarint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (shift >= kValueBits) return Failure("proto: integer overflow");
    if (rest_.empty()) return Failure("unexpected EOF");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
}

base::Result<WireTag> WireReader::ReadTag(std::string_view message) {
  ANNEX_TRY(const std::uint64_t wire, ReadVarint());
  const WireTag tag{static_cast<std::int32_t>(static_cast<std::uint32_t>(wire >> kTypeBits)),
                    static_cast<WireType>(wire & kTypeMask)};
  if (tag.type == WireType::kGroupEnd) {
    return Failure("proto: " + std::string(message) + ": wiretype end group for non-group");
  }
  if (tag.number <= 0) {
    return Failure("proto: " + std::string(message) + ": illegal tag " + std::to_string(tag.number) +
                   " (wire type " + std::to_string(wire) + ")");
  }
  return tag;
}

base::Result<void> WireReader::Advance(std::uint64_t count) {
  if (count > static_cast<std::uint64_t>(INT64_MAX))
    return Failure("proto: negative length found during unmarshaling");
  if (count > rest_.size()) return Failure("unexpected EOF");
  rest_.remove_prefix(static_cast<std::size_t>(count));
  return {};
}

base::Result<std::uint64_t> WireReader::ReadFixed64() {
  const std::string_view bytes = rest_;
  ANNEX_RETURN_IF_ERROR(Advance(sizeof(std::uint64_t)));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

base::Result<std::string_view> WireReader::ReadBytes() {
  ANNEX_TRY(const std::uint64_t length, ReadVarint());
  const std::string_view bytes = rest_;
  ANNEX_RETURN_IF_ERROR(Advance(length));
  return bytes.substr(0, static_cast<std::size_t>(length));
}

base::Result<void> WireReader::SkipScalar(std::uint64_t type) {
  switch (static_cast<WireType>(type)) {
    case WireType::kVarint:
      ANNEX_RETURN_IF_ERROR(ReadVarint());
      return {};
    case WireType::kFixed64:
      return Advance(sizeof(std::uint64_t));
    case WireType::kBytes:
      ANNEX_RETURN_IF_ERROR(ReadBytes());
      return {};
    case WireType::kFixed32:
      return Advance(sizeof(std::uint32_t));
    case WireType::kGroupStart:
    case WireType::kGroupEnd:
      break;
  }
  return Failure("proto: illegal wireType " + std::to_string(type));
}

// Groups nest without recursion: only how many are open counts.
base::Result<void> WireReader::Skip(WireTag tag) {
  std::size_t open_groups = 0;
  auto type = static_cast<std::uint64_t>(tag.type);
  while (true) {
    if (type == static_cast<std::uint64_t>(WireType::kGroupStart)) {
      ++open_groups;
    } else if (type == static_cast<std::uint64_t>(WireType::kGroupEnd)) {
      --open_groups;
    } else {
      ANNEX_RETURN_IF_ERROR(SkipScalar(type));
    }
    if (open_groups == 0) return {};
    ANNEX_TRY(const std::uint64_t wire, ReadVarint());
    type = wire & kTypeMask;
  }
}

}  // namespace annex::api
