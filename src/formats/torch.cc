#include "formats/torch.h"

#include "formats/sniff.h"

namespace rebasin {

bool IsTorch(const InputFile& file) {
  if (StartsPickle(file.bytes())) return true;
  return StartsZip(file.bytes()) && IsTorchArchive(file.archive());
}

Checkpoint ReadTorch(const InputFile& file, const OpenOptions& options,
                     const Run& run) {
  const StateDictOptions state_dict = {
      .key = options.key,
      .find_key = options.find_key,
      .skip_unsupported = options.skip_unsupported,
      .warn = run.warn};
  return file.Build(StartsPickle(file.bytes())
                        ? ReadLegacyTorch(file.bytes(), file.mapped(),
                                          state_dict, file.source())
                        : ReadTorchArchive(file.archive(), file.mapped(),
                                           state_dict, file.source()));
}

}  // namespace rebasin
