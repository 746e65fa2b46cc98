// The named tensors of an object pickled by torch.save.

#ifndef REBASIN_FORMATS_TORCH_STATE_DICT_H_
#define REBASIN_FORMATS_TORCH_STATE_DICT_H_

#include <functional>
#include <string>
#include <vector>

#include "formats/torch_objects.h"

namespace rebasin {

struct StateDictOptions {
  // The path of the dictionary in the object: "state_dict", or "a.b" for a
  // nested one; empty: the object itself.
  std::string key = {};
  // If the object is not a state dictionary, use the only one inside it that
  // has all tensors, and warn.
  bool find_key = true;
  // Skip tensors of unknown kinds, with a warning that names them, instead of
  // throwing.
  bool skip_unsupported = false;
  std::function<void(const std::string&)> warn = {};
};

// Returns all tensors of the state dictionary. Those in inner dictionaries,
// lists and tuples are named by their path: "optimizer.state.0.exp_avg". Values
// without tensors (numbers, strings) are skipped, with a warning that names
// them.
//
// Throws Error(kMismatch) if there are no tensors, or if they are only in inner
// dictionaries, whose keys it lists; Error(kBadInput) for invalid tensors and
// duplicate names; Error(kUnsupported) for tensors of unknown kinds;
// Error(kLimit) if shared containers would make many tensors of a small file.
std::vector<TorchView> ReadStateDict(const Pickle& pickle,
                                     const StateDictOptions& options,
                                     const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_STATE_DICT_H_
