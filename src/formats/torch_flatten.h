// Finds the tensors in the containers of a pickle.

#ifndef REBASIN_FORMATS_TORCH_FLATTEN_H_
#define REBASIN_FORMATS_TORCH_FLATTEN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "formats/torch_objects.h"

namespace rebasin {

// Finds values of a pickle that contain data stored outside it: tensors and
// bare storages, at any depth. Each value is visited once.
class DataFinder {
 public:
  explicit DataFinder(const Pickle& pickle);

  // `value` is the pickle's root or inside it.
  bool HoldsData(PickleRef value);

 private:
  const Pickle& pickle_;
  std::vector<uint8_t> known_;
};

// A tensor or bare storage, and its path.
struct NamedValue {
  std::string name;  // keys and positions, joined by dots
  PickleRef value;
};

struct FlatObject {
  std::vector<NamedValue> data;
  // Values without data: the first few names, and the number.
  std::vector<std::string> others;
  int64_t other_count = 0;
};

// Returns the contents of a dictionary, list or tuple. Throws Error(kBadInput)
// if the key of a tensor is neither a string nor, in inner containers, an
// integer; Error(kLimit) for names that are too long or too many, and for
// containers that are shared so often that there are far more paths than
// values; Error(kUnsupported) for calls that make no known container.
FlatObject Flatten(const Pickle& pickle, PickleRef object, DataFinder& finder,
                   const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_FLATTEN_H_
