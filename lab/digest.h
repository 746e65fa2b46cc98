// Short names for things that are the same or not.

#ifndef REBASIN_LAB_DIGEST_H_
#define REBASIN_LAB_DIGEST_H_

#include <string>
#include <string_view>

#include "rebasin/nn/data.h"

namespace rebasin::lab {

// Sixteen hexadecimal digits.
std::string TextDigest(std::string_view text);

// Of the shape, all labels, and some of the examples.
std::string DataDigest(const Dataset& data);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_DIGEST_H_
