// Warnings about oddities in a model that are tolerated, one line each.

#ifndef REBASIN_ONNX_WARNINGS_H_
#define REBASIN_ONNX_WARNINGS_H_

#include <string>
#include <utility>
#include <vector>

namespace rebasin {

// The number of warnings is limited, since a file can be odd every two bytes,
// and each line contains the name of the file.
inline constexpr size_t kMaxOnnxWarnings = 100;

inline void AddWarning(std::vector<std::string>& warnings, std::string line) {
  if (warnings.size() > kMaxOnnxWarnings) return;
  const bool last = warnings.size() == kMaxOnnxWarnings;
  warnings.push_back(last ? "more warnings are left out" : std::move(line));
}

}  // namespace rebasin

#endif  // REBASIN_ONNX_WARNINGS_H_
