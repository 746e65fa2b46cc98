// Files of torch.save: the zip archives of PyTorch 1.6 and later, and the older
// format, a sequence of pickles followed by the storages. Nothing in them is
// executed (pickle.h).

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

// Support both formats. Throw what the functions below throw.
bool IsTorch(const InputFile& file);
Checkpoint ReadTorch(const InputFile& file, const OpenOptions& options,
                     const Run& run);

// True for archives of torch.save or torch.jit.save.
bool IsTorchArchive(const ZipArchive& archive);

// Returns the tensors of a file; `owner` keeps its bytes alive, and `source` is
// the start of messages. Throw what ReadPickle and ReadStateDict throw;
// Error(kUnsupported) for TorchScript; Error(kBadInput) if storages do not
// match the pickle; Error(kLimit) if tensors that share storages would be far
// larger than the file.
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
