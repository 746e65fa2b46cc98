// Formats numbers and tables for messages, independent of the locale.

#ifndef REBASIN_BASE_TEXT_H_
#define REBASIN_BASE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rebasin {

// `digits` significant digits, without an exponent if that is readable.
std::string Number(double value, int digits = 4);
// `decimals` digits after the point.
std::string Fixed(double value, int decimals);
std::string Percent(double share);         // 12.34 %
std::string Grouped(int64_t value);        // 1,234,567
std::string HumanBytes(double bytes);      // 1.5 GB
std::string HumanSeconds(double seconds);  // 12 ms, 3.4 s, 5 min
// "1 tensor", "2 tensors".
std::string Count(int64_t count, const std::string& noun);

// Columns padded to their widest cell. `layout` has a letter for each column: l
// for left or r for right alignment.
class Table {
 public:
  Table(std::string layout, std::vector<std::string> header);
  void Add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }
  std::string Text() const;

 private:
  std::string layout_;
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace rebasin

#endif  // REBASIN_BASE_TEXT_H_
