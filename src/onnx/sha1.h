// SHA-1, for the checksums of ONNX external data. Protects against damage, not
// against attackers.

#ifndef REBASIN_ONNX_SHA1_H_
#define REBASIN_ONNX_SHA1_H_

#include <cstddef>
#include <span>
#include <string>

namespace rebasin {

// Returns 40 lower-case hexadecimal digits.
std::string Sha1(std::span<const std::byte> bytes);

}  // namespace rebasin

#endif  // REBASIN_ONNX_SHA1_H_
