// ONNX models: their graph and their weights, read and written.
//
// An .onnx file holds everything that a checkpoint needs somebody to say: which
// tensors there are and how they are used. Trained weights are told from other
// numbers by rules that docs/formats.md spells out:
//
// - initializers of F16, BF16, F32 and F64 are weights, except
// - those whose last name says that they are tables ("inv_freq",
//   "attn_mask", ...) or that match OnnxOptions::constants,
// - those whose numbers follow a formula: sines and cosines of positions,
//   triangular masks, 0, 1, 2, ..., geometric sequences, and
// - those without a name of their own ("onnx::MatMul_12") that are single
//   numbers (but for slopes of PRelu), hold at most two different numbers, or
//   do not act as a parameter.
//
// The copy of an initializer by an Identity, under a name of its own, is a
// weight like any other: exporters store weights that happen to be equal once.
//
// Initializers of the bodies of If, Loop and Scan count, too, and Constant
// nodes if weight matrices are among them.
//
// Whatever else a file holds (integers, other Constant nodes) is part of the
// architecture. Bodies become part of the flat graph where that can be
// (docs/formats.md).

#ifndef REBASIN_ONNX_ONNX_H_
#define REBASIN_ONNX_ONNX_H_

#include <filesystem>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

struct OnnxOptions {
  // Names of initializers that are no weights, with * ? [] as in a shell.
  std::vector<std::string> constants = {};
  // Names of initializers that are weights, whatever else is said of them.
  std::vector<std::string> trained = {};
  // Read external data through symbolic links and from files with several
  // names. The Hugging Face cache layout is allowed without this.
  bool follow_symlinks = false;
  // Whether data may lie in other files at all; if not, a model that has any
  // there is refused (Error(kUnsupported)).
  bool external_data = true;
};

struct OnnxModel {
  Graph graph;
  Checkpoint weights;  // one tensor for each weight of the graph, by its name
  std::vector<std::string> warnings;  // one line for each oddity survived
};

// By content, not by name: whether this is a regular file that starts as ONNX
// models do. Such a file may still be truncated or corrupt.
bool IsOnnx(const std::filesystem::path& path);

// Throws Error(kBadInput, kUnsupported, kLimit, kIo) that names the file.
OnnxModel ReadOnnx(const std::filesystem::path& path,
                   const OnnxOptions& options = {});

// Only the weights; the graph need not make sense. One line for each oddity is
// added to `warnings`, which may be null.
Checkpoint ReadOnnxWeights(const std::filesystem::path& path,
                           const OnnxOptions& options = {},
                           std::vector<std::string>* warnings = nullptr);

// The model with the numbers of `weights` instead of its own:
//
// - A weight, constant or input of the graph whose name is in `weights` becomes
//   a weight with those numbers. The shapes must agree (Error(kMismatch)).
//   Inputs are what an export without parameters makes of them.
//   So does the output of an Identity of one of these, which is how exporters
//   write weights that were equal.
// - A weight without a name of its own that holds bit by bit what exactly one
//   tensor of `weights` holds, transposed (matrices) or with other axes of
//   size 1, becomes a Transpose or Reshape of that tensor: exporters fold
//   these operators. Tensors that no name asks for are preferred, and no two
//   weights are made of the same one.
// - Every other weight becomes a constant, and a warning says so. Tensors of
//   `weights` that the graph does not use are in a warning, too.
//
// The result's weights are those of `weights` that the graph uses.
OnnxModel BindWeights(OnnxModel model, const Checkpoint& weights);

// Writes the model of the file `from` with other numbers: each tensor of
// `weights` replaces the weight of its name, wherever it lies (also in the
// branch of an If), which must be there with the same type and shape
// (Error(kMismatch)); all else stays as it is.
// All data goes into the file itself if that stays below 2 GiB, else into a
// file next to it, named like it with ".data" added.
//
// As with CheckpointWriter, a file appears at `path` complete or not at all.
// If data goes into a second file and `options.force` replaces an older pair,
// the old model is removed before the new data appears, so that no model ever
// refers to the data of another. `options.shard_bytes` is not used.
void WriteOnnx(const std::filesystem::path& from, const Checkpoint& weights,
               const std::filesystem::path& path,
               const WriteOptions& options = {},
               const OnnxOptions& reading = {}, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ONNX_ONNX_H_
