// IDX files, the format of MNIST.

#ifndef REBASIN_DATA_IDX_H_
#define REBASIN_DATA_IDX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rebasin/tensor.h"

namespace rebasin {

// The expected content; the value is the number of axes.
enum class IdxContent : int { kLabels = 1, kImages = 3 };

struct IdxArray {
  Shape shape;
  std::vector<uint8_t> values;
};

// Reads a whole file of unsigned bytes, plain or gzip, recognised by content.
// `source` is the start of messages. Throws Error(kBadInput),
// Error(kUnsupported) for other element types, Error(kMismatch) if the array is
// empty, Error(kLimit) for a file that would inflate to an implausible size.
IdxArray ReadIdx(std::span<const std::byte> file, IdxContent content,
                 const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_DATA_IDX_H_
