// IDX files, the form in which MNIST is published.

#ifndef REBASIN_DATA_IDX_H_
#define REBASIN_DATA_IDX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rebasin/tensor.h"

namespace rebasin {

// What a file should hold; the value is the number of its axes.
enum class IdxContent : int { kLabels = 1, kImages = 3 };

struct IdxArray {
  Shape shape;
  std::vector<uint8_t> values;
};

// Reads a whole file of unsigned bytes, plain or in gzip form; which, its
// content tells. `source` starts messages. Throws Error(kBadInput),
// Error(kUnsupported) for other element types, Error(kMismatch) if the array
// is empty, Error(kLimit) for a file that would inflate beyond reason.
IdxArray ReadIdx(std::span<const std::byte> file, IdxContent content,
                 const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_DATA_IDX_H_
