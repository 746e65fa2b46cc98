// Recognises files by their first bytes: known formats, and other files that
// are often stored under the name of a model.

#ifndef REBASIN_FORMATS_SNIFF_H_
#define REBASIN_FORMATS_SNIFF_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rebasin {

// True if the file starts with `mark`.
bool StartsWith(std::span<const std::byte> file, std::string_view mark);
// True if JSON starts where a safetensors file has its header, after a length
// below 4 GiB. The bytes of that length may have any value.
bool MayBeSafetensors(std::span<const std::byte> file);
bool StartsZip(std::span<const std::byte> file);
bool StartsPickle(std::span<const std::byte> file);

struct FileKind {
  std::string name;  // "a gzip archive"
  std::string hint;  // what to do about it; may be empty
  bool is_text = false;
};

// Recognises files that are often stored under the name of a safetensors file:
// models in other formats, archives, text of failed downloads. Returns nothing
// for files that may be safetensors.
std::optional<FileKind> SniffWrongKind(std::span<const std::byte> file);

// True if a JSON object starts where a safetensors file has its header.
bool HasJsonHeader(std::span<const std::byte> file);

// The first bytes for messages about unknown files: "1c 00 00 00 54".
std::string FirstBytes(std::span<const std::byte> file);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SNIFF_H_
