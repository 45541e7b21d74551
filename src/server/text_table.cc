#include "text_table.h"

#include "annex/base/strings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

namespace annex::server {
namespace {

constexpr std::size_t kGap = 3;  // as kubectl's

void PrintRow(std::ostream& out, const std::vector<std::string>& cells,
              const std::vector<TextTable::Column>& columns, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string fill(widths[i] - base::CountCodePoints(cells[i]), ' ');
    const bool right = columns[i].align == TextTable::Align::kRight;
    const bool last = i + 1 == cells.size();
    line.append(right ? fill : "").append(cells[i]).append(right || last ? "" : fill);
    if (!last) line.append(kGap, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

void TextTable::Print(std::ostream& out) const {
  std::vector<std::string> headings;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    headings.push_back(column.heading);
    widths.push_back(base::CountCodePoints(column.heading));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], base::CountCodePoints(row[i]));
  }
  PrintRow(out, headings, columns_, widths);
  for (const auto& row : rows_) PrintRow(out, row, columns_, widths);
}

std::string BytesText(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const int digits = unit == 0 || amount >= 10 ? 0 : 1;
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, amount, kUnits.at(unit));
  return text.data();
}

std::string CountText(std::int64_t count, std::string_view singular) {
  std::string text = std::to_string(count);
  return text.append(" ").append(singular).append(count == 1 ? "" : "s");
}

}  // namespace annex::server
