// Limits for the description of a checkpoint. Exceeding one throws
// Error(kLimit) before memory of the claimed size is allocated.

#ifndef REBASIN_FORMATS_LIMITS_H_
#define REBASIN_FORMATS_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace rebasin {

// Size of a safetensors header in bytes; the reference reader has the same
// limit.
inline constexpr int64_t kMaxHeaderBytes = 100'000'000;
// Size of an index.json file in bytes.
inline constexpr int64_t kMaxIndexBytes = 100'000'000;
// Size of the pickle of a PyTorch file in bytes; about 100 for each tensor.
inline constexpr int64_t kMaxPickleBytes = int64_t{64} << 20;
// Nesting depth of a header; the format needs three levels.
inline constexpr int kMaxHeaderDepth = 64;
inline constexpr size_t kMaxRank = 16;
inline constexpr size_t kMaxNameBytes = 4096;
// Real checkpoints have up to about 100,000.
inline constexpr size_t kMaxTensors = 1'000'000;
// Entries of __metadata__. Real files have a few.
inline constexpr size_t kMaxMetadata = 100'000;

}  // namespace rebasin

#endif  // REBASIN_FORMATS_LIMITS_H_
