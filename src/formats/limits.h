// How large a checkpoint's description may be. What exceeds a limit throws
// Error(kLimit) before anything of the claimed size is allocated.

#ifndef REBASIN_FORMATS_LIMITS_H_
#define REBASIN_FORMATS_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace rebasin {

// Bytes of a safetensors header; the reference reader has the same limit.
inline constexpr int64_t kMaxHeaderBytes = 100'000'000;
// Bytes of an index.json file.
inline constexpr int64_t kMaxIndexBytes = 100'000'000;
// Bytes of a pickle in a PyTorch file; some 100 for each tensor.
inline constexpr int64_t kMaxPickleBytes = int64_t{64} << 20;
// Levels of nesting of a header, of which the format itself needs three.
inline constexpr int kMaxHeaderDepth = 64;
inline constexpr size_t kMaxRank = 16;
inline constexpr size_t kMaxNameBytes = 4096;
// Real checkpoints have up to some 100,000.
inline constexpr size_t kMaxTensors = 1'000'000;
// Entries of __metadata__. Real ones have a handful.
inline constexpr size_t kMaxMetadata = 100'000;

}  // namespace rebasin

#endif  // REBASIN_FORMATS_LIMITS_H_
