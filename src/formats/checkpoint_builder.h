// Collects the tensors of one or more safetensors files into a Checkpoint.

#ifndef REBASIN_FORMATS_CHECKPOINT_BUILDER_H_
#define REBASIN_FORMATS_CHECKPOINT_BUILDER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "formats/safetensors_header.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

class CheckpointBuilder {
 public:
  explicit CheckpointBuilder(const Warn& warn) : warn_(warn) {}

  // Maps and checks a file. Its tensors' names are returned, in order; where
  // metadata of several files disagree, the first file's word stands.
  std::vector<std::string> AddFile(const std::filesystem::path& path);

  // Throws Error(kBadInput) if a name was added twice.
  Checkpoint Build();

 private:
  const Warn& warn_;
  Checkpoint checkpoint_;
};

// The checkpoint that a .safetensors.index.json file describes.
Checkpoint OpenSharded(const std::filesystem::path& index,
                       const OpenOptions& options);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_CHECKPOINT_BUILDER_H_
