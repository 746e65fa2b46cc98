// A checkpoint: named tensors and string metadata. It comes from a safetensors
// file or a sharded set of them, a PyTorch, NumPy or GGUF file, or memory.
//
//   const auto model = rebasin::Checkpoint::Open("model.pt");
//   for (const rebasin::Tensor& tensor : model.tensors()) {
//     std::cout << tensor.name << " " << rebasin::ShapeText(tensor.shape);
//   }
//   rebasin::SaveModel(model, "model.safetensors");
//
// Opening a safetensors file reads and checks only the headers. Every rule of
// the format is verified before memory is allocated, and tensor data stays in
// the memory-mapped file until it is read. Checksums of archives are verified.

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

// How files are read. No option makes the library execute code from a file.
struct OpenOptions {
  // Follow shards that are symbolic links out of the index's directory. Links
  // in the layout of the Hugging Face cache are always followed.
  bool follow_symlinks = false;
  // The dictionary of a PyTorch file that holds the tensors: "state_dict", or
  // "a.b" for a nested one. Empty: the file's top-level object is that
  // dictionary.
  std::string key = {};
  // If `key` is empty, the top-level object is no such dictionary, and exactly
  // one dictionary inside it holds all tensors, use that one and warn.
  bool find_key = true;
  // Skip tensors of a PyTorch, NumPy or GGUF file whose element type or layout
  // is not supported (quantised, sparse, complex, text), with a warning that
  // names them. Otherwise such a file is Error(kUnsupported).
  bool skip_unsupported = false;
  // Keep the prefixes "module." (DataParallel) and "_orig_mod." (torch.compile)
  // in names. Otherwise they are removed, with a warning, if all names have
  // them.
  bool keep_prefixes = false;
  // Tensors to read under other names: from the name in the file, after
  // prefixes are removed, to the new name. A file that has neither name is
  // refused.
  std::vector<std::pair<std::string, std::string>> renames = {};
  // Read NumPy's two-byte void type (V2), as which bfloat16 arrays are saved,
  // as BF16.
  bool npy_bf16 = false;
};

// An immutable set of tensors. Copies are cheap and share the tensor bytes.
// Safe to read from any number of threads.
class Checkpoint {
 public:
  Checkpoint() = default;
  // Makes a checkpoint of tensors in memory. Throws Error(kBadInput) if a name
  // is empty or repeated, or a tensor does not have the bytes that its shape
  // needs.
  explicit Checkpoint(std::vector<Tensor> tensors,
                      std::map<std::string, std::string> metadata = {});

  // Opens `path`, which is one of:
  //
  // - a safetensors file, a file of torch.save (.pt, .pth, .th, .bin), or an
  //   .npz, .npy or .gguf file; the format is recognised by content;
  // - a .safetensors.index.json file;
  // - a directory with exactly one model in safetensors files.
  //
  // Warns about harmless violations (unknown fields, a wrong total_size).
  // Throws Error(kIo) if a file cannot be read, Error(kBadInput) if it is
  // damaged, Error(kUnsupported) if its format or contents are not supported,
  // Error(kLimit) if it exceeds a documented limit, Error(kUsage) if a
  // directory holds several models.
  static Checkpoint Open(const std::filesystem::path& path,
                         const OpenOptions& options = {}, const Run& run = {});

  // The tensors in ascending order of name. The order in the file is not kept,
  // so results do not depend on it.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Returns the tensor with this name, or nullptr. Valid as long as the
  // checkpoint.
  const Tensor* Find(std::string_view name) const;
  // The metadata of a safetensors or GGUF file; empty for other formats.
  const std::map<std::string, std::string>& metadata() const {
    return metadata_;
  }

  // The total size of the tensor data.
  int64_t bytes() const;

  // Throws Error(kIo) if a file of this checkpoint was changed (size or
  // modification time), replaced or removed since it was opened. Call it before
  // using results that took long to compute.
  void CheckUnchanged() const;

 private:
  friend class CheckpointBuilder;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
};

// The name, type and shape of a tensor that will be written.
struct TensorPlan {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
};

// How files are written.
struct WriteOptions {
  bool force = false;  // replace an existing file
  // If > 0 and the data is larger, writes a sharded set of files with at most
  // this many bytes each (more only if a single tensor is larger).
  int64_t shard_bytes = 0;
  bool sync = true;  // fsync before the rename
};

// Writes tensors piece by piece into a safetensors file or a sharded set. The
// file appears at `path` only when it is complete: data goes to a temporary
// file in the same folder, which is synced, read back, checked and renamed.
// Destroying the writer without Commit() removes the temporary files.
//
// A sharded set for out/model.safetensors is
// out/model-00001-of-00003.safetensors and so on, and
// out/model.safetensors.index.json, which is written last. Character devices
// such as /dev/null are written directly.
//
// The constructor checks the target and the plan, so call it before long
// computations. It throws Error(kUsage) if the file exists and `force` is
// false, Error(kIo) if the folder cannot be written or the disk is full, and
// Error(kBadInput, kLimit) if the plan is invalid. Not thread-safe.
class CheckpointWriter {
 public:
  CheckpointWriter(const std::filesystem::path& path,
                   std::vector<TensorPlan> plan,
                   const std::map<std::string, std::string>& metadata,
                   const WriteOptions& options = {}, const Run& run = {});
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // The order in which data must be appended, which is the order in the file:
  // descending element size, then name.
  const std::vector<TensorPlan>& order() const;

  // Appends the next bytes in order(). Tensors may be split into any pieces.
  // Throws Error(kIo) if writing fails.
  void Append(std::span<const std::byte> bytes);

  // Completes the file. Requires that all bytes of the plan were appended.
  // Throws Error(kIo) if writing or the check of the written data fails.
  void Commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes a checkpoint as safetensors. Throws what CheckpointWriter throws.
void SaveCheckpoint(const Checkpoint& checkpoint,
                    const std::filesystem::path& path,
                    const WriteOptions& options = {}, const Run& run = {});

// Write a file that torch.load(weights_only=True) reads, and an .npz file.
// Metadata is not written, and `shard_bytes` is ignored. Tensors that share
// bytes share them in a PyTorch file too. Throw Error(kUnsupported) for element
// types that PyTorch or NumPy does not have, and otherwise like
// CheckpointWriter.
void SaveTorch(const Checkpoint& checkpoint, const std::filesystem::path& path,
               const WriteOptions& options = {}, const Run& run = {});
void SaveNpz(const Checkpoint& checkpoint, const std::filesystem::path& path,
             const WriteOptions& options = {}, const Run& run = {});

// Options of SaveModel.
struct SaveOptions {
  WriteOptions write = {};
  // "safetensors", "PyTorch" or "npz". Empty: chosen by the file name
  // extension; safetensors if there is none.
  std::string format = {};
};

// Writes a checkpoint in one of the formats above:
//
//   SaveModel(model, "model.pt", {.write = {.force = true}});
//
// Warns if metadata is lost. Throws Error(kUsage) if the extension belongs to
// no format, or if shards are requested for a format without shards;
// Error(kUnsupported) if the format can only be read; and what the functions
// above throw.
void SaveModel(const Checkpoint& checkpoint, const std::filesystem::path& path,
               const SaveOptions& options = {}, const Run& run = {});

// Checks format, target, folder and free space without leaving a file behind.
// Throws what SaveModel would throw. Call it before long computations.
void CheckSaveModel(const Checkpoint& checkpoint,
                    const std::filesystem::path& path,
                    const SaveOptions& options = {});

// Returns the model with its floating-point tensors converted to `dtype` (F64,
// F32, F16 or BF16). Converted tensors are in memory; all others, and those
// that already have the type, share their bytes with `model`. Throws
// Error(kBadInput) if a finite value overflows.
Checkpoint ConvertTypes(const Checkpoint& model, DType dtype);

}  // namespace rebasin

#endif  // REBASIN_CHECKPOINT_H_
