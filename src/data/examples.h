// The result of a reader of data files: examples that are not yet a Dataset,
// because the number of classes is known only after all files were read.

#ifndef REBASIN_DATA_EXAMPLES_H_
#define REBASIN_DATA_EXAMPLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "rebasin/nn/data.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct Examples {
  Shape shape;  // of one example
  // One of the two is used.
  std::vector<uint8_t> bytes;
  std::vector<float> floats;
  std::vector<int32_t> labels;  // may be empty

  bool empty() const { return bytes.empty() && floats.empty(); }
};

// Makes two data sets with the classes of both, and at least `least_classes`.
// Either may be empty. Throws Error(kMismatch) if their examples differ in
// shape.
DataSplits MakeSplits(const std::string& train_name, Examples train,
                      const std::string& test_name, Examples test,
                      int64_t least_classes = 0);

}  // namespace rebasin

#endif  // REBASIN_DATA_EXAMPLES_H_
