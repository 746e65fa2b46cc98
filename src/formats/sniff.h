// What a file is, by its first bytes: a model of some format, or something that
// people store under the name of one.

#ifndef REBASIN_FORMATS_SNIFF_H_
#define REBASIN_FORMATS_SNIFF_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace rebasin {

enum class ModelFormat {
  kSafetensors,  // or nothing that is known
  kZip,          // of PyTorch or NumPy
  kPickle,       // of PyTorch before 1.6
  kNpy,
};

ModelFormat SniffFormat(std::span<const std::byte> file);

struct FileKind {
  std::string name;  // "a gzip archive"
  std::string hint;  // what to do about it; may be empty
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
