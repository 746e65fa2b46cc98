#include "onnx/format.h"

#include <utility>
#include <vector>

#include "onnx/onnx.h"
#include "onnx/wire.h"

namespace rebasin {
namespace {

Format OnnxFormat() {
  return {
      .name = "ONNX",
      .phrase = ".onnx",
      .help = "weights within a graph; written into the graph of a file",
      .endings = {".onnx"},
      .recognises =
          [](const InputFile& file) { return StartsLikeOnnx(file.bytes()); },
      .write =
          [](const Checkpoint& checkpoint, const OutputFile& output,
             const Run& run) {
            WriteOnnx(output.graph_from, checkpoint, output.path, output.write,
                      {}, run);
          },
      .holds_metadata = true,  // that of the file with the graph
      .holds_graph = true};
}

FormatTable TableWithOnnx() {
  const auto rows = CheckpointFormats().rows();
  std::vector<Format> all(rows.begin(), rows.end());
  all.push_back(OnnxFormat());
  return FormatTable(std::move(all));
}

}  // namespace

const FormatTable& ModelFormats() {
  static const FormatTable table = TableWithOnnx();
  return table;
}

}  // namespace rebasin
