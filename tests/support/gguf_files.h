// GGUF files, written from parts that need not fit each other.

#ifndef REBASIN_TESTS_SUPPORT_GGUF_FILES_H_
#define REBASIN_TESTS_SUPPORT_GGUF_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rebasin {

// The bytes of values as they stand behind a key: the number of their type, and
// they themselves.
std::string GgufText(const std::string& text);
std::string GgufU32(uint32_t value);
// An array of so many values of one type, whose bytes are `content`.
std::string GgufArray(uint32_t type, uint64_t count,
                      const std::string& content);

struct GgufEntry {
  std::string key;
  std::string value;  // with its type
};

struct GgufPart {
  std::string name = "w";
  std::vector<uint64_t> sizes = {2};  // the fastest axis first
  uint32_t type = 0;                  // F32
  std::string data = {};
  std::optional<uint64_t> offset = {};  // if set, instead of the right one
};

// What is set replaces what would be right.
struct GgufParts {
  std::vector<GgufPart> tensors = {};
  std::vector<GgufEntry> metadata = {};
  uint32_t version = 3;
  uint64_t alignment = 32;
  std::optional<uint64_t> tensor_count = {};
  std::optional<uint64_t> metadata_count = {};
  bool pad_end = true;
};

std::string GgufFile(const GgufParts& parts);

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_GGUF_FILES_H_
