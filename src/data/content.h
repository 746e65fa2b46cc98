// The values shared by a data set and its selections.

#ifndef REBASIN_DATA_CONTENT_H_
#define REBASIN_DATA_CONTENT_H_

#include <cstdint>
#include <vector>

#include "rebasin/nn/data.h"

namespace rebasin {

struct Dataset::Content {
  // One of the two is used.
  std::vector<uint8_t> bytes;
  std::vector<float> floats;
  std::vector<int32_t> labels;
};

}  // namespace rebasin

#endif  // REBASIN_DATA_CONTENT_H_
