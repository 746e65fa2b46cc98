// Compressed files and zip archives, sound or with one thing wrong.

#ifndef REBASIN_TESTS_SUPPORT_ZIP_FILES_H_
#define REBASIN_TESTS_SUPPORT_ZIP_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rebasin {

// `value` as the given number of bytes, lowest or highest first.
std::string Little(uint64_t value, int bytes);
std::string Big(uint64_t value, int bytes);

std::string Deflate(const std::string& content);  // without a header
std::string Gzip(const std::string& content);
uint32_t Crc32(const std::string& content);

// An entry. What is set replaces what would be right.
struct ZipPart {
  std::string name = {};
  std::string content = {};
  bool deflated = false;
  bool zip64 = false;  // sizes and offset in the extra field
  uint16_t flags = 0;
  std::optional<uint16_t> method = {};
  std::optional<uint32_t> crc = {};
  std::optional<uint64_t> size = {};
  std::optional<uint64_t> offset = {};
  std::optional<std::string> local_name = {};
  std::optional<uint16_t> local_flags = {};
  std::optional<uint32_t> local_crc = {};
  std::optional<uint64_t> local_size = {};
  std::string descriptor = {};  // behind the content
};

struct ZipEnd {
  bool zip64 = false;
  std::string prefix = {};  // before the archive, and counted in its offsets
  std::string comment = {};
  uint16_t disk = 0;
  std::optional<uint64_t> entries = {};
  std::optional<uint64_t> directory_offset = {};
};

std::string MakeZip(const std::vector<ZipPart>& parts, const ZipEnd& end = {});

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_ZIP_FILES_H_
