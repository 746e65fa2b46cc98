// SHA-1, for the checksums that ONNX puts on external data: against damage,
// not against attackers.

#ifndef REBASIN_ONNX_SHA1_H_
#define REBASIN_ONNX_SHA1_H_

#include <cstddef>
#include <span>
#include <string>

namespace rebasin {

// 40 hexadecimal digits in lower case.
std::string Sha1(std::span<const std::byte> bytes);

}  // namespace rebasin

#endif  // REBASIN_ONNX_SHA1_H_
