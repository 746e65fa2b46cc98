// What is inside of picture files.

#ifndef REBASIN_TESTS_REPORT_PICTURE_FILES_H_
#define REBASIN_TESTS_REPORT_PICTURE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rebasin::testing {

inline bool IsPng(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

// At 16 and 20, big-endian: width and height.
inline uint32_t PngNumber(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<uint8_t>(bytes.at(at + i));
  }
  return number;
}
inline uint32_t PngWidth(const std::string& bytes) {
  return PngNumber(bytes, 16);
}
inline uint32_t PngHeight(const std::string& bytes) {
  return PngNumber(bytes, 20);
}

// Whether every tag is closed in its place, and nothing stands outside of one
// root. Enough of XML for what drawings hold: no comments, no CDATA.
inline bool IsWellFormed(std::string_view xml) {
  std::vector<std::string> open;
  int roots = 0;
  while (true) {
    const size_t begin = xml.find('<');
    if (xml.substr(0, begin).find('>') != std::string_view::npos) return false;
    if (begin == std::string_view::npos) break;
    const size_t end = xml.find('>', begin);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = xml.substr(begin + 1, end - begin - 1);
    xml.remove_prefix(end + 1);
    if (tag.empty() || tag.find('<') != std::string_view::npos) return false;
    if (tag.front() == '?') continue;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
      continue;
    }
    roots += open.empty();
    if (tag.back() == '/') continue;
    open.emplace_back(tag.substr(0, tag.find_first_of(" \n\t")));
  }
  return open.empty() && roots == 1;
}

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_REPORT_PICTURE_FILES_H_
