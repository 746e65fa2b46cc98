// What torch.save pickled: dictionaries of tensors, which are views of storages
// that lie outside of the pickle.

#ifndef REBASIN_FORMATS_TORCH_OBJECTS_H_
#define REBASIN_FORMATS_TORCH_OBJECTS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pickle.h"
#include "rebasin/tensor.h"

namespace rebasin {

// The names that state dictionaries take, and no others: what is called there
// makes tensors, shapes and dictionaries.
std::span<const PickleGlobal> TorchGlobals();

struct TorchStorage {
  std::string_view key;
  DType dtype = DType::kF32;
  int64_t size = 0;  // elements
};

// Element [i, j, ...] is element offset + i strides[0] + j strides[1] + ... of
// the storage, and lies in it.
struct TorchView {
  std::string name;
  TorchStorage storage;
  int64_t offset = 0;
  Shape shape, strides;
};

// The storage that a persistent id of the pickle means. Throws
// Error(kBadInput) if it means none, Error(kUnsupported) for element types that
// safetensors does not have.
TorchStorage ReadTorchStorage(const Pickle& pickle, PickleRef id,
                              const std::string& source);

struct StateDictOptions {
  // Where in the object the dictionary is: "state_dict", or "a.b" for one in
  // another; empty: it is the object.
  std::string key = {};
  std::function<void(const std::string&)> warn = {};
};

// The tensors of the state dictionary. If all names start with "module.", as
// DataParallel leaves them, they lose it. Throws Error(kMismatch) if there are
// no tensors, naming the keys under which there are some; Error(kBadInput) and
// Error(kUnsupported) for tensors that are none or of an unknown kind.
std::vector<TorchView> ReadStateDict(const Pickle& pickle,
                                     const StateDictOptions& options,
                                     const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_OBJECTS_H_
