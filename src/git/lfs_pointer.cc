#include "git/lfs_pointer.h"

#include <algorithm>
#include <charconv>

#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// The specification limits pointers to this size. Models are larger, or start
// differently.
constexpr int64_t kLargestPointer = 1024;
constexpr std::string_view kStart = "version https://git-lfs.github.com/spec/";
constexpr std::string_view kOid = "oid sha256:";
constexpr std::string_view kSize = "size ";
constexpr size_t kDigits = 64;

bool IsDigest(std::string_view text) {
  return text.size() == kDigits &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::optional<int64_t> ParseSize(std::string_view text) {
  int64_t size = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < 0) {
    return std::nullopt;
  }
  return size;
}

void ReadLine(std::string_view line, LfsPointer& pointer, bool& has_size) {
  if (line.starts_with("ext-")) pointer.extended = true;
  if (line.starts_with(kOid)) pointer.oid = line.substr(kOid.size());
  if (!line.starts_with(kSize)) return;
  const auto size = ParseSize(line.substr(kSize.size()));
  has_size = size.has_value();
  pointer.size = size.value_or(0);
}

}  // namespace

std::optional<LfsPointer> ParseLfsPointer(std::string_view text,
                                          const std::string& origin) {
  if (!text.starts_with(kStart)) return std::nullopt;
  LfsPointer pointer;
  bool has_size = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    ReadLine(line, pointer, has_size);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  if (IsDigest(pointer.oid) && has_size) return pointer;
  throw Error(ErrorCode::kBadInput,
              origin +
                  " is a broken Git LFS pointer: it has no oid of 64 "
                  "hexadecimal digits or no size",
              "git lfs fsck --pointers lists such files");
}

std::optional<LfsPointer> ReadLfsPointer(const std::filesystem::path& file,
                                         const std::string& origin) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) ThrowIo("look at", file, error.value());
  if (size >= static_cast<uintmax_t>(kLargestPointer)) return std::nullopt;
  return ParseLfsPointer(ReadSmallFile(file, kLargestPointer), origin);
}

}  // namespace rebasin
