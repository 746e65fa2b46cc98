#include "formats/formats.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/gguf.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/safetensors.h"
#include "formats/torch.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Adapts a function that writes one file to the table.
template <auto Save>
void Write(const Checkpoint& checkpoint, const OutputFile& output,
           const Run& run) {
  Save(checkpoint, output.path, output.write, run);
}

std::vector<Format> CheckpointRows() {
  return {
      {.name = "safetensors",
       .phrase = "safetensors",
       .help = "one file, or an index and its shards",
       .endings = {".safetensors"},
       .read_endings = {".safetensors.index.json"},
       .recognises = IsSafetensors,
       .read = ReadSafetensors,
       .write = Write<SaveCheckpoint>,
       .streams = true,
       .holds_metadata = true},
      {.name = "PyTorch",
       .phrase = "a file of torch.save",
       .help = "zip archives of torch.save, and its older pickles",
       .endings = {".pt", ".pth", ".th"},
       .read_endings = {".bin"},
       .recognises = IsTorch,
       .read = ReadTorch,
       .write = Write<SaveTorch>},
      {.name = "npz",
       .phrase = ".npz",
       .help = "archives of numpy.savez",
       .endings = {".npz"},
       .recognises = IsNpz,
       .read = ReadNpzFile,
       .write = Write<SaveNpz>},
      {.name = "npy",
       .phrase = ".npy",
       .help = "one array of NumPy, named like its file",
       .endings = {".npy"},
       .recognises = IsNpy,
       .read = ReadNpyFile},
      {.name = "GGUF",
       .phrase = ".gguf",
       .help = "models of llama.cpp, not quantised or Q8_0",
       .endings = {".gguf"},
       .recognises = IsGguf,
       .read = ReadGgufFile,
       .holds_metadata = true},
  };
}

// Extensions of models in formats that are not supported.
constexpr std::array<std::string_view, 5> kOtherEndings = {
    ".ckpt", ".h5", ".tflite", ".pb", ".msgpack"};

template <typename Endings>
bool Holds(const Endings& endings, std::string_view ending) {
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

std::string Joined(std::span<const std::string> words,
                   const std::string& between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

// "a, b or c"
std::string Listed(std::span<const std::string> words) {
  if (words.size() < 2) return Joined(words, "");
  return Joined(words.first(words.size() - 1), ", ") + " or " + words.back();
}

}  // namespace

FormatTable::FormatTable(std::vector<Format> rows) : rows_(std::move(rows)) {}

const Format* FormatTable::Find(std::string_view name) const {
  for (const Format& format : rows_) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const Format& FormatTable::Of(const InputFile& file) const {
  for (const Format& format : rows_) {
    if (format.recognises(file)) return format;
  }
  return rows_[0];
}

const Format& FormatTable::For(const std::filesystem::path& output) const {
  const std::string ending = output.extension();
  // The index of a sharded set, or no extension.
  if (ending.empty() || ending == ".json") return rows_[0];
  for (const Format& format : rows_) {
    const bool is_written = Holds(format.endings, ending);
    if (!is_written && !Holds(format.read_endings, ending)) continue;
    if (!is_written || format.write == nullptr) FailReadOnly(ending);
    return format;
  }
  throw Error(ErrorCode::kUsage,
              "cannot write " + Quoted(output.native()) +
                  ": there is no writer for names that end with " +
                  Quoted(ending),
              "end the name in " + Writable());
}

void FormatTable::FailReadOnly(std::string_view ending) const {
  throw Error(
      ErrorCode::kUnsupported,
      "files that end with " + std::string(ending) + " are read, not written",
      "write a " + Writable() + " file");
}

bool FormatTable::IsModelEnding(std::string_view ending) const {
  return Holds(kOtherEndings, ending) ||
         std::any_of(rows_.begin(), rows_.end(), [&](const Format& format) {
           return Holds(format.endings, ending) ||
                  Holds(format.read_endings, ending);
         });
}

std::string FormatTable::Readable() const {
  std::vector<std::string> words;
  for (const Format& format : rows_) words.emplace_back(format.phrase);
  return Listed(words);
}

std::string FormatTable::Writable() const {
  return Listed(EndingsToWrite(/*with_graph=*/false));
}

std::string FormatTable::WritableWithGraph() const {
  std::vector<std::string> words = EndingsToWrite(/*with_graph=*/false);
  const auto with_graph = EndingsToWrite(/*with_graph=*/true);
  std::string text = with_graph.empty() ? Listed(words) : Joined(words, ", ");
  for (const std::string& ending : with_graph) {
    text += " or, of " + ending + " files, " + ending;
  }
  return text;
}

std::vector<std::string> FormatTable::EndingsToWrite(bool with_graph) const {
  std::vector<std::string> endings;
  for (const Format& format : rows_) {
    if (!format.write || format.holds_graph != with_graph) continue;
    endings.emplace_back(format.endings[0]);
  }
  return endings;
}

const FormatTable& CheckpointFormats() {
  static const FormatTable table(CheckpointRows());
  return table;
}

}  // namespace rebasin
