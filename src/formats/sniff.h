// What a file is, by its first bytes: the marks of formats, and what people
// store under the name of a model that is none.

#ifndef REBASIN_FORMATS_SNIFF_H_
#define REBASIN_FORMATS_SNIFF_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rebasin {

// Whether the first bytes are these.
bool StartsWith(std::span<const std::byte> file, std::string_view mark);
// Whether a header's JSON starts where safetensors have it, behind a length
// that is below 4 GiB. The bytes of that length may look like anything.
bool MayBeSafetensors(std::span<const std::byte> file);
bool StartsZip(std::span<const std::byte> file);
bool StartsPickle(std::span<const std::byte> file);

struct FileKind {
  std::string name;  // "a gzip archive"
  std::string hint;  // what to do about it; may be empty
  bool is_text = false;
};

// Recognises by the first bytes what people store under the name of a
// safetensors file: models in other formats, archives, text of failed
// downloads. Nothing for what may be safetensors.
std::optional<FileKind> SniffWrongKind(std::span<const std::byte> file);

// Whether a JSON object starts where a safetensors file has its header.
bool HasJsonHeader(std::span<const std::byte> file);

// "1c 00 00 00 54": for messages about a file that nothing is known of.
std::string FirstBytes(std::span<const std::byte> file);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SNIFF_H_
