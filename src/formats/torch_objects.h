// The objects that torch.save pickles: tensors, which are views of storages
// outside the pickle.

#ifndef REBASIN_FORMATS_TORCH_OBJECTS_H_
#define REBASIN_FORMATS_TORCH_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/pickle.h"
#include "rebasin/tensor.h"

namespace rebasin {

// The names that state dictionaries may use: functions that make tensors,
// shapes and dictionaries.
std::span<const PickleGlobal> TorchGlobals();

struct TorchStorage {
  std::string_view key;
  std::string_view type;  // PyTorch's name: "FloatStorage"
  std::optional<DType> dtype =
      {};  // nothing for types that tensors cannot have
  int64_t item_bytes = 1;
  int64_t size = 0;  // elements
};

// Element [i, j, ...] is element offset + i strides[0] + j strides[1] + ... of
// the storage; all are inside it.
struct TorchView {
  std::string name;
  TorchStorage storage;  // with a dtype
  int64_t offset = 0;
  Shape shape, strides;
};

// Returns the storage of a persistent id of the pickle. Throws Error(kBadInput)
// if the id is not a storage, Error(kUnsupported) if it is a part of another
// one.
TorchStorage ReadTorchStorage(const Pickle& pickle, PickleRef id,
                              const std::string& source);

// True if a value is a tensor of any kind.
bool IsTorchTensor(const Pickle& pickle, PickleRef value);

// True if a value is a call that makes a dictionary of a list of pairs, as
// Python 2 pickled an OrderedDict.
bool IsFilledDict(const Pickle& pickle, PickleRef value);

// Returns the tensor of a value; `name` is for messages. Throws
// Error(kBadInput) if its parts are invalid or outside the storage,
// Error(kUnsupported) for sparse and quantised tensors and for element types
// without a DType.
TorchView ReadTorchView(const Pickle& pickle, PickleRef tensor,
                        std::string name, const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_OBJECTS_H_
