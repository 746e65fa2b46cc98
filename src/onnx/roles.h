// Distinguishes trained weights from the other numbers of a model.

#ifndef REBASIN_ONNX_ROLES_H_
#define REBASIN_ONNX_ROLES_H_

#include <string>
#include <vector>

#include "onnx/model_file.h"
#include "rebasin/graph.h"

namespace rebasin {

// Returns kWeight or kConstant for each of file.initializers(), by the rules of
// onnx/onnx.h.
std::vector<Role> ClassifyInitializers(const ModelFile& file,
                                       const OnnxOptions& options);

}  // namespace rebasin

#endif  // REBASIN_ONNX_ROLES_H_
