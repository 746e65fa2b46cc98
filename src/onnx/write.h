// Writing, with the size that decides where data goes open to tests.

#ifndef REBASIN_ONNX_WRITE_H_
#define REBASIN_ONNX_WRITE_H_

#include <cstdint>
#include <filesystem>

#include "onnx/onnx.h"

namespace rebasin {

// Protobuf messages end at 2 GiB - 1.
inline constexpr int64_t kMaxModelBytes = INT32_MAX;

// WriteOnnx, but with data in a file of its own if the model would have more
// than `max_model_bytes`.
void WriteOnnxUpTo(int64_t max_model_bytes, const std::filesystem::path& from,
                   const Checkpoint& weights, const std::filesystem::path& path,
                   const WriteOptions& options, const OnnxOptions& reading,
                   const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ONNX_WRITE_H_
