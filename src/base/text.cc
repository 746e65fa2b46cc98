#include "base/text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace rebasin {
namespace {

std::string ToChars(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + 400, value,
                                    format, precision);
  assert(result.ec == std::errc());
  return {buffer.data(), result.ptr};
}

// Counts characters: continuation bytes of UTF-8 have no width.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string Number(double value, int digits) {
  return ToChars(value, std::chars_format::general, digits);
}

std::string Fixed(double value, int decimals) {
  return ToChars(value, std::chars_format::fixed, decimals);
}

std::string Percent(double share) { return Fixed(100 * share, 2) + " %"; }

std::string Grouped(int64_t value) {
  std::string text = std::to_string(value);
  const size_t sign = value < 0 ? 1 : 0;
  for (size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string HumanBytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {" B", " kB", " MB", " GB",
                                                 " TB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return Fixed(bytes, unit == 0 || bytes >= 99.5 ? 0 : 1) + kUnits[unit];
}

std::string HumanSeconds(double seconds) {
  if (seconds < 0.9995) return Fixed(seconds * 1e3, 0) + " ms";
  if (seconds < 99.5) return Fixed(seconds, 1) + " s";
  return Fixed(seconds / 60, 0) + " min";
}

std::string Count(int64_t count, const std::string& noun) {
  return Grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

Table::Table(std::string layout, std::vector<std::string> header)
    : layout_(std::move(layout)) {
  rows_.push_back(std::move(header));
}

void Table::Add(std::vector<std::string> row) {
  assert(row.size() == layout_.size());
  rows_.push_back(std::move(row));
}

std::string Table::Text() const {
  std::vector<size_t> widths(layout_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], Width(row[c]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - Width(row[c]), ' ');
      line += c == 0 ? "" : "  ";
      line += layout_[c] == 'r' ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace rebasin
