#include "formats/sniff.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace rebasin {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

struct Signature {
  std::string_view start;
  const char* name;
  const char* hint;
};

constexpr std::array kSignatures = {
    Signature{"version https://git-lfs.github.com/spec/",
              "a Git LFS pointer file", "run git lfs pull"},
    Signature{"\x1F\x8B", "a gzip archive", "decompress it first"},
    Signature{"PK\x03\x04", "a zip archive",
              "files of PyTorch and NumPy are zip archives; rebasin convert "
              "makes safetensors of them"},
    Signature{"\x89PNG\r\n", "a PNG image", ""},
    Signature{"GGUF", "a GGUF model", "convert it to safetensors"},
    Signature{"\x89HDF", "an HDF5 file", "convert it to safetensors"},
    Signature{"\x93NUMPY", "a NumPy array", "convert it to safetensors"},
};

// Its mark stands behind the first entry's name and numbers.
bool LooksLikeTar(std::string_view text) {
  constexpr size_t kMarkAt = 257;
  return text.size() > kMarkAt && text.substr(kMarkAt).starts_with("ustar");
}

std::string_view Front(std::span<const std::byte> file) {
  constexpr size_t kLook = 512;
  return {reinterpret_cast<const char*>(file.data()),
          std::min(file.size(), kLook)};
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view start) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [&](char b, char a) { return same(a, b); });
}

bool LooksLikeHtml(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return StartsWithIgnoringCase(text, "<!doctype") ||
         StartsWithIgnoringCase(text, "<html") ||
         StartsWithIgnoringCase(text, "<?xml");
}

// The PROTO opcode and a protocol in use.
bool LooksLikePickle(std::string_view text) {
  return text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
}

// The header's JSON starts at byte 8; the eight bytes before it are a number
// and may look like anything.
bool MayBeSafetensors(std::string_view text) {
  if (text.size() <= 8) return false;
  const size_t start = text.find_first_not_of(kSpaces, 8);
  return start != std::string_view::npos && text[start] == '{' &&
         text.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

}  // namespace

ModelFormat SniffFormat(std::span<const std::byte> file) {
  const std::string_view text = Front(file);
  if (MayBeSafetensors(text)) return ModelFormat::kSafetensors;
  // An archive without entries starts with its end.
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) {
    return ModelFormat::kZip;
  }
  if (LooksLikePickle(text)) return ModelFormat::kPickle;
  if (text.starts_with("\x93NUMPY")) return ModelFormat::kNpy;
  return ModelFormat::kSafetensors;
}

std::optional<FileKind> SniffWrongKind(std::span<const std::byte> file) {
  const std::string_view text = Front(file);
  if (MayBeSafetensors(text)) return std::nullopt;
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.start)) {
      return FileKind{signature.name, signature.hint};
    }
  }
  if (LooksLikeTar(text)) {
    return FileKind{"a tar archive",
                    "if torch.save wrote it, re-save it with torch >= 1.6"};
  }
  if (LooksLikeHtml(text)) {
    return FileKind{"an HTML page", "the download went wrong; repeat it"};
  }
  if (LooksLikePickle(text)) {
    return FileKind{"a Python pickle",
                    "rebasin convert makes safetensors of PyTorch's"};
  }
  if (text.starts_with("{\"") || text.starts_with("{\n")) {
    return FileKind{"a JSON file", "an index must be named *.index.json"};
  }
  return std::nullopt;
}

}  // namespace rebasin
