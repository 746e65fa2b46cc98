// The tensors that an object pickled by torch.save holds, each with a name.

#ifndef REBASIN_FORMATS_TORCH_STATE_DICT_H_
#define REBASIN_FORMATS_TORCH_STATE_DICT_H_

#include <functional>
#include <string>
#include <vector>

#include "formats/torch_objects.h"

namespace rebasin {

struct StateDictOptions {
  // Where in the object the dictionary is: "state_dict", or "a.b" for one in
  // another; empty: it is the object.
  std::string key = {};
  // Where the object is no state dictionary, take the only one within it that
  // holds all tensors, with a warning.
  bool find_key = true;
  // Leave out tensors of an unknown kind, with a warning that names them,
  // instead of refusing the file.
  bool skip_unsupported = false;
  std::function<void(const std::string&)> warn = {};
};

// All tensors of the state dictionary. Those in dictionaries, lists and tuples
// within it are called by the way to them: "optimizer.state.0.exp_avg". Values
// without tensors (numbers, texts) are left out, with a warning that names
// them. Throws Error(kMismatch) if there are no tensors, or none outside of
// dictionaries within it, naming the keys of those; Error(kBadInput) for
// tensors that are not sound or have no name of their own; Error(kUnsupported)
// for those of an unknown kind; Error(kLimit) if containers are shared so often
// that a small file would become many tensors.
std::vector<TorchView> ReadStateDict(const Pickle& pickle,
                                     const StateDictOptions& options,
                                     const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_STATE_DICT_H_
