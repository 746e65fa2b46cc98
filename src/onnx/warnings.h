// Oddities of a model that are survived, one line each.

#ifndef REBASIN_ONNX_WARNINGS_H_
#define REBASIN_ONNX_WARNINGS_H_

#include <string>
#include <utility>
#include <vector>

namespace rebasin {

// More than anybody reads. A file can be odd every two bytes, and each line
// names the file.
inline constexpr size_t kMostOnnxWarnings = 100;

inline void AddWarning(std::vector<std::string>& warnings, std::string line) {
  if (warnings.size() > kMostOnnxWarnings) return;
  const bool last = warnings.size() == kMostOnnxWarnings;
  warnings.push_back(last ? "more warnings are left out" : std::move(line));
}

}  // namespace rebasin

#endif  // REBASIN_ONNX_WARNINGS_H_
