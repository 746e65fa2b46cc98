// Files of torch.save: the zip archives of PyTorch 1.6 and later, and the older
// form, pickles one after another with the storages behind them. Nothing in
// them is executed (pickle.h).

#ifndef REBASIN_FORMATS_TORCH_H_
#define REBASIN_FORMATS_TORCH_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/input_file.h"
#include "formats/torch_state_dict.h"
#include "io/zip.h"
#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

// Both forms. Throw what the functions below throw.
bool IsTorch(const InputFile& file);
Checkpoint ReadTorch(const InputFile& file, const OpenOptions& options,
                     const Run& run);

// Whether an archive is one of torch.save or torch.jit.save.
bool IsTorchArchive(const ZipArchive& archive);

// The tensors of a file, whose bytes `owner` keeps; `source` starts messages.
// Throw what the file's pickle deserves (ReadPickle, ReadStateDict);
// Error(kUnsupported) for TorchScript; Error(kBadInput) where storages are not
// as the pickle says; Error(kLimit) if tensors that share storages take far
// more than the file.
std::vector<Tensor> ReadTorchArchive(const ZipArchive& archive,
                                     const std::shared_ptr<const void>& owner,
                                     const StateDictOptions& options,
                                     const std::string& source);
std::vector<Tensor> ReadLegacyTorch(std::span<const std::byte> file,
                                    const std::shared_ptr<const void>& owner,
                                    const StateDictOptions& options,
                                    const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_H_
