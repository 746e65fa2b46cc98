// WriteOnnx with a configurable size limit, for tests.

#ifndef REBASIN_ONNX_WRITE_H_
#define REBASIN_ONNX_WRITE_H_

#include <cstdint>
#include <filesystem>

#include "onnx/onnx.h"

namespace rebasin {

// The largest protobuf message: 2 GiB - 1.
inline constexpr int64_t kMaxModelBytes = INT32_MAX;

// WriteOnnx, but stores the data in a second file if the model would be larger
// than `max_model_bytes`.
void WriteOnnxUpTo(int64_t max_model_bytes, const std::filesystem::path& from,
                   const Checkpoint& weights, const std::filesystem::path& path,
                   const WriteOptions& options, const OnnxOptions& reading,
                   const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ONNX_WRITE_H_
