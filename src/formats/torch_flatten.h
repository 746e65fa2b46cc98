// Walks through the containers of a pickle to the tensors in them.

#ifndef REBASIN_FORMATS_TORCH_FLATTEN_H_
#define REBASIN_FORMATS_TORCH_FLATTEN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "formats/torch_objects.h"

namespace rebasin {

// Which values of a pickle hold data that lies outside of it: tensors and bare
// storages, at any depth. Each value is looked at once.
class DataFinder {
 public:
  explicit DataFinder(const Pickle& pickle);

  // `value` is the pickle's root or lies in it.
  bool HoldsData(PickleRef value);

 private:
  const Pickle& pickle_;
  std::vector<uint8_t> known_;
};

// A tensor (or a bare storage, which is none) and the way to it.
struct NamedValue {
  std::string name;  // keys and positions, joined with dots
  PickleRef value;
};

struct FlatObject {
  std::vector<NamedValue> data;
  // What holds no data: the first few by name, and how many there are.
  std::vector<std::string> others;
  int64_t other_count = 0;
};

// What a dictionary, list or tuple holds. Throws Error(kBadInput) if the key of
// a tensor is neither a text nor, within other containers, a whole number;
// Error(kLimit) for names that are too long, too many of them, and for
// containers that are shared so often that they are many more than the pickle
// has values; Error(kUnsupported) for calls that make no known container.
FlatObject Flatten(const Pickle& pickle, PickleRef object, DataFinder& finder,
                   const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_FLATTEN_H_
