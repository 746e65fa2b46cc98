// The table of checkpoint formats: one row each. Whatever depends on the format
// of a file (reading and writing it, choosing a writer by a name's ending, help
// texts, messages, the table in docs/formats.md) asks the table.

#ifndef REBASIN_FORMATS_FORMATS_H_
#define REBASIN_FORMATS_FORMATS_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/input_file.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// A file to be written.
struct OutputFile {
  std::filesystem::path path = {};
  WriteOptions write = {};
  // The file whose graph is written with the weights, for formats that hold a
  // graph.
  std::filesystem::path graph_from = {};
};

struct Format {
  std::string_view name;    // "PyTorch"
  std::string_view phrase;  // in lists of what can be read
  std::string_view help;    // one line
  // With which names of files end. The writer is chosen by them, and the first
  // one is proposed in messages; files are read whatever their names are.
  std::vector<std::string_view> endings;
  // Endings of files that are of this format as a rule, but are not written.
  std::vector<std::string_view> read_endings = {};

  // Whether the content of a file is of this format. The first row to say so
  // reads it.
  bool (*recognises)(const InputFile& file) = nullptr;
  // Null in a row of a higher layer, which opens such files itself.
  Checkpoint (*read)(const InputFile& file, const OpenOptions& options,
                     const Run& run) = nullptr;
  // Null: the format is read only. Complete or not at all.
  void (*write)(const Checkpoint& checkpoint, const OutputFile& output,
                const Run& run) = nullptr;

  // Written piece by piece, by CheckpointWriter, and in shards. A checkpoint in
  // another format must be in memory.
  bool streams = false;
  bool holds_metadata = false;
  bool holds_graph = false;  // writing needs OutputFile::graph_from
};

class FormatTable {
 public:
  // The first row is that of files whose content or name say nothing.
  explicit FormatTable(std::vector<Format> rows);

  std::span<const Format> rows() const { return rows_; }
  const Format* Find(std::string_view name) const;  // nullptr if absent

  // Of a file that is there, by its content.
  const Format& Of(const InputFile& file) const;
  // Of a file to be written, by the ending of its name. Throws Error(kUsage) if
  // no format has it, Error(kUnsupported) if such files are only read.
  const Format& For(const std::filesystem::path& output) const;
  [[noreturn]] void FailReadOnly(std::string_view ending) const;

  // Whether a file with this ending (".pt") is a model's, as a rule: one of
  // these formats, or one that is not read.
  bool IsModelEnding(std::string_view ending) const;

  // "safetensors, a file of torch.save, .npz or .npy": what can be read.
  std::string Readable() const;
  // ".safetensors, .pt or .npz": what can be written without a graph.
  std::string Writable() const;
  // ".safetensors, .pt, .npz or, of .onnx files, .onnx"
  std::string WritableWithGraph() const;

 private:
  // The first ending of each format that is written.
  std::vector<std::string> EndingsToWrite(bool with_graph) const;

  std::vector<Format> rows_;
};

// All formats that hold weights alone. src/onnx adds its own row to them.
const FormatTable& CheckpointFormats();

}  // namespace rebasin

#endif  // REBASIN_FORMATS_FORMATS_H_
