// What torch.save pickles: tensors, which are views of storages that lie
// outside of the pickle.

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

// The names that state dictionaries take, and no others: what is called there
// makes tensors, shapes and dictionaries.
std::span<const PickleGlobal> TorchGlobals();

struct TorchStorage {
  std::string_view key;
  std::string_view type;  // as PyTorch calls it: "FloatStorage"
  std::optional<DType> dtype =
      {};  // nothing for types that tensors cannot have
  int64_t item_bytes = 1;
  int64_t size = 0;  // elements
};

// Element [i, j, ...] is element offset + i strides[0] + j strides[1] + ... of
// the storage, and lies in it.
struct TorchView {
  std::string name;
  TorchStorage storage;  // with a dtype
  int64_t offset = 0;
  Shape shape, strides;
};

// The storage that a persistent id of the pickle means. Throws
// Error(kBadInput) if it means none, Error(kUnsupported) if it is a part of
// another.
TorchStorage ReadTorchStorage(const Pickle& pickle, PickleRef id,
                              const std::string& source);

// Whether a value is a tensor, of whatever kind.
bool IsTorchTensor(const Pickle& pickle, PickleRef value);

// Whether a value is a call that makes a dictionary of a list of pairs, as
// Python 2 pickled an OrderedDict.
bool IsFilledDict(const Pickle& pickle, PickleRef value);

// The tensor that a value is; `name` is for messages. Throws Error(kBadInput)
// if its parts are not sound or leave the storage, Error(kUnsupported) for
// sparse and quantised tensors and elements that there is no DType for.
TorchView ReadTorchView(const Pickle& pickle, PickleRef tensor,
                        std::string name, const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_OBJECTS_H_
