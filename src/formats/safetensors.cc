#include "formats/safetensors.h"

#include "formats/checkpoint_builder.h"
#include "formats/sniff.h"

namespace rebasin {
namespace {

bool IsIndex(const InputFile& file) {
  return file.path().native().ends_with(".json");
}

}  // namespace

bool IsSafetensors(const InputFile& file) {
  return IsIndex(file) || MayBeSafetensors(file.bytes());
}

Checkpoint ReadSafetensors(const InputFile& file, const OpenOptions& options,
                           const Run& run) {
  if (IsIndex(file)) return OpenSharded(file.path(), options, run);
  CheckpointBuilder builder(run.warn);
  builder.AddSafetensors(file.mapped());
  return builder.Build();
}

}  // namespace rebasin
