// The table of checkpoint formats, one row for each. Everything that depends on
// the format of a file uses it: reading, writing, the choice of a writer by
// file name extension, help texts, messages, and the table in docs/formats.md.

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
  // The file whose graph is written with the weights, for formats that store a
  // graph.
  std::filesystem::path graph_from = {};
};

struct Format {
  std::string_view name;    // "PyTorch"
  std::string_view phrase;  // in lists of readable formats
  std::string_view help;    // one line
  // File name extensions. They select the writer, and the first one is
  // suggested in messages. When reading, only the content counts.
  std::vector<std::string_view> endings;
  // Further extensions of files of this format, which are not used for writing.
  std::vector<std::string_view> read_endings = {};

  // Returns true if the content of a file has this format. The first such row
  // reads the file.
  bool (*recognises)(const InputFile& file) = nullptr;
  // Null for rows of a higher layer, which opens such files itself.
  Checkpoint (*read)(const InputFile& file, const OpenOptions& options,
                     const Run& run) = nullptr;
  // Null: the format is read only. Writes the complete file or nothing.
  void (*write)(const Checkpoint& checkpoint, const OutputFile& output,
                const Run& run) = nullptr;

  // The format is written piece by piece by CheckpointWriter, also in shards.
  // Other formats need the whole checkpoint in memory.
  bool streams = false;
  bool holds_metadata = false;
  bool holds_graph = false;  // writing needs OutputFile::graph_from
};

class FormatTable {
 public:
  // The first row is used for files whose content or name is not conclusive.
  explicit FormatTable(std::vector<Format> rows);

  std::span<const Format> rows() const { return rows_; }
  const Format* Find(std::string_view name) const;  // nullptr if absent

  // The format of an existing file, by content.
  const Format& Of(const InputFile& file) const;
  // The format of an output file, by extension. Throws Error(kUsage) for
  // unknown extensions, Error(kUnsupported) if the format can only be read.
  const Format& For(const std::filesystem::path& output) const;
  [[noreturn]] void FailReadOnly(std::string_view ending) const;

  // True if files with this extension (".pt") are usually models, in one of
  // these formats or in one that is not supported.
  bool IsModelEnding(std::string_view ending) const;

  // The formats that can be read: "safetensors, a file of torch.save, .npz or
  // .npy".
  std::string Readable() const;
  // The formats that can be written without a graph: ".safetensors, .pt or
  // .npz".
  std::string Writable() const;
  // ".safetensors, .pt, .npz or, of .onnx files, .onnx"
  std::string WritableWithGraph() const;

 private:
  // The first extension of each format that can be written.
  std::vector<std::string> EndingsToWrite(bool with_graph) const;

  std::vector<Format> rows_;
};

// All formats that store only weights. src/onnx adds its own row.
const FormatTable& CheckpointFormats();

}  // namespace rebasin

#endif  // REBASIN_FORMATS_FORMATS_H_
