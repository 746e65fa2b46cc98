// ONNX models: reads and writes their graph and their weights.
//
// An .onnx file states which tensors a model has and how they are used. Trained
// weights are distinguished from other numbers by these rules (see
// docs/formats.md):
//
// - initializers of F16, BF16, F32 and F64 are weights, except
// - those whose last name component is that of a table ("inv_freq",
//   "attn_mask", ...) or that match OnnxOptions::constants,
// - those whose numbers follow a formula: sines and cosines of positions,
//   triangular masks, 0, 1, 2, ..., geometric sequences, and
// - those with a name chosen by the exporter ("onnx::MatMul_12") that are
//   single numbers (except slopes of PRelu), hold at most two different
//   numbers, or are not used as a parameter.
//
// An initializer that is copied by an Identity to another name is a weight of
// its own: exporters store weights once that happen to be equal.
//
// Initializers in the bodies of If, Loop and Scan count, too, and so do
// Constant nodes if weight matrices are among them.
//
// Everything else in a file (integers, other Constant nodes) is part of the
// architecture. Bodies become part of the flat graph where possible
// (docs/formats.md).

#ifndef REBASIN_ONNX_ONNX_H_
#define REBASIN_ONNX_ONNX_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

struct OnnxOptions {
  // Names of initializers that are not weights, as shell patterns with *, ? and
  // [].
  std::vector<std::string> constants = {};
  // Names of initializers that are weights, regardless of the rules above.
  std::vector<std::string> trained = {};
  // Read external data through symbolic links and from files with several
  // names. The Hugging Face cache layout is allowed without this.
  bool follow_symlinks = false;
  // Whether tensors may be stored in other files. If not, a model with external
  // data is rejected with Error(kUnsupported).
  bool external_data = true;
};

struct OnnxModel {
  Graph graph;
  Checkpoint weights;  // one tensor for each weight of the graph, by its name
  // One line for each oddity that was tolerated.
  std::vector<std::string> warnings;
};

// Whether this is a regular file that starts like an ONNX model. Checks the
// content, not the name. The file may still be truncated or corrupt.
bool IsOnnx(const std::filesystem::path& path);

// Throws Error(kBadInput, kUnsupported, kLimit, kIo) with the name of the file.
OnnxModel ReadOnnx(const std::filesystem::path& path,
                   const OnnxOptions& options = {});

// The same for the bytes of such a file, which need not outlive the call.
// `name` is printed in messages. Tensors cannot be stored in other files.
OnnxModel ReadOnnxBytes(std::string_view bytes, const std::string& name,
                        const OnnxOptions& options = {});

// Reads only the weights; the graph may be invalid. Appends one line for each
// oddity to `warnings`, which may be null.
Checkpoint ReadOnnxWeights(const std::filesystem::path& path,
                           const OnnxOptions& options = {},
                           std::vector<std::string>* warnings = nullptr);

// Replaces the weights of the model by `weights`:
//
// - A weight, constant or input of the graph whose name is in `weights` becomes
//   a weight with these numbers. The shapes must agree (Error(kMismatch)).
//   (Inputs are weights in an export without parameters.) The same applies to
//   the output of an Identity of one of these, which is how exporters write
//   equal weights.
// - A weight with a name chosen by the exporter whose bits equal those of
//   exactly one tensor of `weights`, after transposing (matrices) or adding or
//   removing axes of size 1, becomes a Transpose or Reshape of that tensor:
//   exporters fold these operators. Tensors that do not match by name are
//   preferred, and each is used for one weight only.
// - Every other weight becomes a constant, with a warning. Another warning
//   lists the tensors of `weights` that the graph does not use.
//
// The result's weights are the tensors of `weights` that the graph uses.
OnnxModel BindWeights(OnnxModel model, const Checkpoint& weights);

// Writes the model of the file `from` with other weights. Each tensor of
// `weights` replaces the weight with its name, wherever that is (also in the
// branch of an If). The old weight must exist with the same type and shape
// (Error(kMismatch)). Everything else remains unchanged. All data is stored in
// the file itself if it stays below 2 GiB, otherwise in a second file with the
// same name plus ".data".
//
// As with CheckpointWriter, the file at `path` is either complete or does not
// exist. If there is a second file and `options.force` replaces an older pair,
// the old model is removed before the new data is moved into place, so that no
// model ever refers to the data of another one. `options.shard_bytes` is
// ignored.
void WriteOnnx(const std::filesystem::path& from, const Checkpoint& weights,
               const std::filesystem::path& path,
               const WriteOptions& options = {},
               const OnnxOptions& reading = {}, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ONNX_ONNX_H_
