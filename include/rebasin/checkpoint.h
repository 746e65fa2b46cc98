// A checkpoint: named tensors and string metadata, from a safetensors file, a
// sharded set of them, a file of PyTorch, NumPy or GGUF, or memory.
//
// Opening a safetensors file reads and checks the headers only: every rule of
// the format is verified before anything is allocated, and tensor data stays in
// the file's mapping until somebody reads it. Archives are also compared with
// their checksums. Files that break a rule throw Error.

#ifndef REBASIN_CHECKPOINT_H_
#define REBASIN_CHECKPOINT_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rebasin/run.h"
#include "rebasin/tensor.h"

namespace rebasin {

class MappedFile;

struct OpenOptions {
  // Follow shards that are symbolic links out of the index's directory. The
  // Hugging Face cache layout is recognised and allowed without this.
  bool follow_symlinks = false;
  // Where in the object of a PyTorch file its tensors are: "state_dict", or
  // "a.b" for a dictionary in another. Empty: the object is that dictionary.
  std::string key = {};
  // Where the object is no such dictionary, but exactly one within it holds all
  // tensors, take that one, with a warning.
  bool find_key = true;
  // Leave out tensors of a PyTorch, NumPy or GGUF file that there is no element
  // type or layout for (quantised, sparse, complex ones, texts), with a warning
  // that names them, instead of refusing the file.
  bool skip_unsupported = false;
  // Keep "module." (of DataParallel) and "_orig_mod." (of torch.compile) in
  // front of names. Otherwise they are taken off where all names start with
  // them, with a warning.
  bool keep_prefixes = false;
  // Tensors to be read under other names: from the name in the file, after
  // prefixes are taken off, to the new one. A file with neither is refused.
  std::vector<std::pair<std::string, std::string>> renames = {};
  // Take NumPy's two bytes without a meaning (V2), which is how bfloat16 arrays
  // are saved, for BF16.
  bool npy_bf16 = false;
};

// Immutable once built. Copying shares the tensor bytes.
class Checkpoint {
 public:
  Checkpoint() = default;
  // From memory. Names must be distinct and not empty, and each tensor must
  // have the bytes that its shape takes (Error(kBadInput) otherwise).
  explicit Checkpoint(std::vector<Tensor> tensors,
                      std::map<std::string, std::string> metadata = {});

  // Opens `path`: a safetensors file, one of torch.save (.pt, .pth, .th, .bin),
  // an .npz, .npy or .gguf file, told apart by content; a
  // .safetensors.index.json file; or a directory that holds exactly one model
  // of safetensors files. Warns of oddities that are survivable (unknown
  // fields, a wrong total_size).
  static Checkpoint Open(const std::filesystem::path& path,
                         const OpenOptions& options = {}, const Run& run = {});

  // In ascending order of name, whatever the order in the file was, so that
  // everything computed from a checkpoint is independent of its layout.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Tensor* Find(std::string_view name) const;  // nullptr if absent
  const std::map<std::string, std::string>& metadata() const {
    return metadata_;
  }

  // Total bytes of tensor data.
  int64_t bytes() const;

  // Throws Error(kIo) if a file under this checkpoint was changed (size or
  // modification time), replaced or removed since it was opened. Call before
  // trusting results that took long to compute.
  void CheckUnchanged() const;

 private:
  friend class CheckpointBuilder;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
};

// What a tensor of an output file will be, before its data exists.
struct TensorPlan {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
};

struct WriteOptions {
  bool force = false;  // replace an existing file
  // > 0: if the data is larger than this, write a sharded set of files that
  // hold at most this much each (more only where one tensor is larger).
  int64_t shard_bytes = 0;
  bool sync = true;  // fsync before the rename
};

// Streams tensors into a safetensors file (or sharded set) that appears at
// `path` only when complete: the data goes to a temporary file in the same
// folder, is synced, re-read and checked, and renamed. Destroying the writer
// without Commit() removes the temporary files.
//
// A sharded set for out/model.safetensors is out/model-00001-of-00003.
// safetensors and so on, and out/model.safetensors.index.json, which appears
// last. Character devices such as /dev/null are written directly.
//
// Construction checks that the target can be written (Error(kUsage) if it
// exists and `force` is off, Error(kIo) if the folder or disk refuses) and
// that the plan is sound (Error(kBadInput, kLimit)), so call it before heavy
// work. Not thread-safe.
class CheckpointWriter {
 public:
  CheckpointWriter(const std::filesystem::path& path,
                   std::vector<TensorPlan> plan,
                   const std::map<std::string, std::string>& metadata,
                   const WriteOptions& options = {}, const Run& run = {});
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // The order in which data must be appended: the plan sorted as the file
  // stores it (element size descending, then name).
  const std::vector<TensorPlan>& order() const;

  // Appends the next bytes of data. A tensor may come in any number of pieces;
  // the pieces of all tensors come in order().
  void Append(std::span<const std::byte> bytes);

  // Requires that every byte of the plan was appended.
  void Commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes a whole checkpoint at once.
void SaveCheckpoint(const Checkpoint& checkpoint,
                    const std::filesystem::path& path,
                    const WriteOptions& options = {}, const Run& run = {});

// The same as a file of torch.save, which torch.load(weights_only=True) reads,
// and as an .npz file. Metadata stays behind; `shard_bytes` means nothing here.
// Tensors that share their bytes share them in a PyTorch file, too. Throw
// Error(kUnsupported) for element types that PyTorch or NumPy does not have.
void SaveTorch(const Checkpoint& checkpoint, const std::filesystem::path& path,
               const WriteOptions& options = {}, const Run& run = {});
void SaveNpz(const Checkpoint& checkpoint, const std::filesystem::path& path,
             const WriteOptions& options = {}, const Run& run = {});

struct SaveOptions {
  WriteOptions write = {};
  // The name of a format ("safetensors", "PyTorch", "npz"). Empty: the format
  // that the ending of the path says; without an ending, safetensors.
  std::string format = {};
};

// Writes a checkpoint in one of the formats above:
//
//   SaveModel(model, "model.pt", {.write = {.force = true}});
//
// Warns if metadata stays behind. Throws Error(kUsage) if no format has the
// path's ending, or shards of a format without shards are asked for;
// Error(kUnsupported) for a format that is only read.
void SaveModel(const Checkpoint& checkpoint, const std::filesystem::path& path,
               const SaveOptions& options = {}, const Run& run = {});

// Throws what SaveModel would throw for a checkpoint like this one before it
// writes: for the format, the target, the folder, the space. Leaves nothing
// behind. Call it before the work.
void CheckSaveModel(const Checkpoint& checkpoint,
                    const std::filesystem::path& path,
                    const SaveOptions& options = {});

// The model with its numbers stored as `dtype` (F64, F32, F16 or BF16); tensors
// of other kinds, and those of that type already, share their bytes with the
// original. Converted tensors are held in memory. Throws Error(kBadInput) if a
// finite value overflows.
Checkpoint ConvertTypes(const Checkpoint& model, DType dtype);

}  // namespace rebasin

#endif  // REBASIN_CHECKPOINT_H_
