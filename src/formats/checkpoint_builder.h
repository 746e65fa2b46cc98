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

  // Checks a safetensors file and adds its tensors. Returns their names in
  // order. If the metadata of several files differ, the first file's values are
  // kept.
  std::vector<std::string> AddSafetensors(
      const std::shared_ptr<const MappedFile>& file);

  void AddMetadata(std::map<std::string, std::string> metadata);

  // Add a tensor that another reader has checked, and a file that
  // Checkpoint::CheckUnchanged must check.
  void AddTensor(Tensor tensor);
  void Watch(std::shared_ptr<const MappedFile> file);
  void WatchFilesOf(const Checkpoint& checkpoint);

  // Throws Error(kBadInput) if a name was added twice.
  Checkpoint Build();

 private:
  Warn warn_;
  Checkpoint checkpoint_;
};

// Opens the checkpoint of a .safetensors.index.json file.
Checkpoint OpenSharded(const std::filesystem::path& index,
                       const OpenOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_CHECKPOINT_BUILDER_H_
