// Collects the tensors of one or more files into a Checkpoint.

#ifndef REBASIN_FORMATS_CHECKPOINT_BUILDER_H_
#define REBASIN_FORMATS_CHECKPOINT_BUILDER_H_

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/safetensors_header.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

class CheckpointBuilder {
 public:
  explicit CheckpointBuilder(Warn warn = {}) : warn_(std::move(warn)) {}

  // Checks a safetensors file. Its tensors' names are returned, in order; where
  // metadata of several files disagree, the first file's word stands.
  std::vector<std::string> AddSafetensors(
      const std::shared_ptr<const MappedFile>& file);

  void AddMetadata(std::map<std::string, std::string> metadata);

  // For tensors that another reader has read and checked, and the files that
  // Checkpoint::CheckUnchanged is to look at.
  void AddTensor(Tensor tensor);
  void Watch(std::shared_ptr<const MappedFile> file);
  void WatchFilesOf(const Checkpoint& checkpoint);

  // Throws Error(kBadInput) if a name was added twice.
  Checkpoint Build();

 private:
  Warn warn_;
  Checkpoint checkpoint_;
};

// The checkpoint that a .safetensors.index.json file describes.
Checkpoint OpenSharded(const std::filesystem::path& index,
                       const OpenOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_CHECKPOINT_BUILDER_H_
