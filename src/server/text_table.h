// TextTable: rows under headings, in columns as wide as what is in them, as kubectl prints them.
//
// Thread rule: a value type.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace annex::server {

class TextTable {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Column {
    std::string heading;
    Align align = Align::kLeft;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as there are columns.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // The last column is never filled up with spaces.
  void Print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A number of bytes for people: "512 B", "1.5 KiB", "20 MiB".
std::string BytesText(std::int64_t bytes);

// "1 object", "2 objects".
std::string CountText(std::int64_t count, std::string_view singular);

}  // namespace annex::server
