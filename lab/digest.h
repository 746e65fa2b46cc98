// Short texts that identify inputs.

#ifndef REBASIN_LAB_DIGEST_H_
#define REBASIN_LAB_DIGEST_H_

#include <string>
#include <string_view>

#include "rebasin/nn/data.h"

namespace rebasin::lab {

// Returns sixteen hexadecimal digits.
std::string TextDigest(std::string_view text);

// Covers the shape, all labels, and some of the examples.
std::string DataDigest(const Dataset& data);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_DIGEST_H_
