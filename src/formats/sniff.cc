#include "formats/sniff.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/utf8.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

constexpr const char* kDecompress = "decompress it first";
constexpr const char* kConvert = "rebasin convert makes safetensors of it";
constexpr const char* kFromKeras =
    "load it in Keras and save its weights as .npz or safetensors";
constexpr const char* kFromFlax =
    "load it in Flax and save its parameters as .npz or safetensors";
constexpr const char* kFromMatlab =
    "load it with scipy.io.loadmat and save its arrays with numpy.savez";
constexpr const char* kFromGgml = "convert it to GGUF with llama.cpp's scripts";
constexpr const char* kExport = "export the model as .onnx instead";

struct Signature {
  std::string_view start;
  const char* name;
  const char* hint;
  size_t at = 0;
};

constexpr std::array kSignatures = {
    Signature{"version https://git-lfs.github.com/spec/",
              "a Git LFS pointer file", "run git lfs pull"},
    Signature{"\x1F\x8B", "a gzip archive", kDecompress},
    Signature{"7z\xBC\xAF\x27\x1C", "a 7z archive", kDecompress},
    Signature{"\xFD\x37zXZ", "an xz archive", kDecompress},
    Signature{"\x28\xB5\x2F\xFD", "a zstd archive", kDecompress},
    Signature{"BZh", "a bzip2 archive", kDecompress},
    Signature{"Rar!\x1A\x07", "a RAR archive", kDecompress},
    Signature{"PK\x03\x04", "a zip archive",
              "files of PyTorch and NumPy are zip archives; rebasin convert "
              "makes safetensors of them"},
    Signature{"\x89PNG\r\n", "a PNG image", ""},
    Signature{"\xFF\xD8\xFF", "a JPEG image", ""},
    Signature{"%PDF-", "a PDF document", ""},
    Signature{"\x7F"
              "ELF",
              "a program", ""},
    Signature{"TFL3", "a TFLite model", kExport, 4},
    Signature{"ORTM", "a model of ONNX Runtime's own format", kExport, 4},
    Signature{"GGUF", "a GGUF model", kConvert},
    Signature{"tjgg", "a GGML model", kFromGgml},
    Signature{"lmgg", "a GGML model", kFromGgml},
    Signature{"\x89HDF", "an HDF5 file", kFromKeras},
    Signature{"\x93NUMPY", "a NumPy array", kConvert},
    Signature{"MATLAB 5.0", "a MATLAB file", kFromMatlab},
};

// The mark is after the first entry's name and numbers.
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

// Protobuf: version 1, and a message (of any length) that starts with another
// message. An ONNX model of that version would have a string there.
bool LooksLikeSavedModel(std::string_view text) {
  if (!text.starts_with("\x08\x01\x12")) return false;
  size_t at = 3;
  while (at < text.size() && (text[at] & 0x80) != 0) ++at;
  return at + 1 < text.size() && text[at + 1] == '\x0A';
}

// A map whose first key is a string, as Flax writes parameters.
bool LooksLikeMessagePack(std::string_view text) {
  const auto byte = [&](size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  };
  const size_t key = byte(0) >= 0x81 && byte(0) <= 0x8F ? 1
                     : byte(0) == 0xDE                  ? 3
                     : byte(0) == 0xDF                  ? 5
                                                        : 0;
  if (key == 0) return false;
  const bool is_short = byte(key) >= 0xA1 && byte(key) <= 0xBF;
  if (!is_short && byte(key) != 0xD9) return false;
  const unsigned char first = byte(key + (is_short ? 1 : 2));
  return first >= 0x20 && first < 0x7F;
}

// The start of a text, without an incomplete character at its end.
std::optional<std::string_view> AsText(std::string_view front) {
  for (int cut = 0; cut < 3 && !front.empty() && !IsUtf8(front); ++cut) {
    front.remove_suffix(1);
  }
  if (front.size() < 8 || !IsUtf8(front)) return std::nullopt;
  const bool printable =
      std::all_of(front.begin(), front.end(), [](unsigned char c) {
        return (c >= 0x20 && c != 0x7F) || c == '\t' || c == '\r' || c == '\n';
      });
  if (!printable) return std::nullopt;
  return front;
}

std::optional<FileKind> SniffText(std::string_view front) {
  const auto text = AsText(front);
  if (!text) return std::nullopt;
  const size_t start = text->find_first_not_of(kSpaces);
  if (start == text->npos) return FileKind{"an empty text", ""};
  if ((*text)[start] == '{' || (*text)[start] == '[') {
    return FileKind{"a JSON file", "an index must be named *.index.json", true};
  }
  constexpr size_t kShown = 60;
  std::string line(text->substr(start, text->find('\n', start) - start));
  while (line.size() > kShown || !IsUtf8(line)) line.pop_back();
  return FileKind{"text: " + Quoted(line),
                  "if it was downloaded, the download failed; repeat it", true};
}

}  // namespace

bool StartsWith(std::span<const std::byte> file, std::string_view mark) {
  return Front(file).starts_with(mark);
}

// The header's JSON starts at byte 8. The eight bytes before it are a number
// and may have any value.
bool MayBeSafetensors(std::span<const std::byte> file) {
  const std::string_view text = Front(file);
  if (text.size() <= 8) return false;
  const size_t start = text.find_first_not_of(kSpaces, 8);
  return start != std::string_view::npos && text[start] == '{' &&
         text.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

// An archive without entries starts with its end record.
bool StartsZip(std::span<const std::byte> file) {
  return StartsWith(file, "PK\x03\x04") || StartsWith(file, "PK\x05\x06");
}

// Starts with the PROTO opcode and a known protocol.
bool StartsPickle(std::span<const std::byte> file) {
  const std::string_view text = Front(file);
  return text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
}

std::optional<FileKind> SniffWrongKind(std::span<const std::byte> file) {
  const std::string_view text = Front(file);
  if (MayBeSafetensors(file)) return std::nullopt;
  for (const Signature& signature : kSignatures) {
    if (text.size() > signature.at &&
        text.substr(signature.at).starts_with(signature.start)) {
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
  if (StartsPickle(file)) {
    return FileKind{"a Python pickle",
                    "rebasin convert makes safetensors of PyTorch's"};
  }
  if (LooksLikeSavedModel(text)) {
    return FileKind{"a TensorFlow SavedModel", kExport};
  }
  if (LooksLikeMessagePack(text)) {
    return FileKind{"a MessagePack file, as of Flax", kFromFlax};
  }
  return SniffText(text);
}

bool HasJsonHeader(std::span<const std::byte> file) {
  const std::string_view text = Front(file);
  const size_t start = text.find_first_not_of(kSpaces, 8);
  return start != std::string_view::npos && text[start] == '{';
}

std::string FirstBytes(std::span<const std::byte> file) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr size_t kShown = 12;
  std::string text;
  for (const std::byte b : file.first(std::min(file.size(), kShown))) {
    const auto value = std::to_integer<unsigned>(b);
    if (!text.empty()) text += ' ';
    text += {kDigits[value / 16], kDigits[value % 16]};
  }
  return text;
}

}  // namespace rebasin
