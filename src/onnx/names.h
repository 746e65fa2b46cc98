// Conclusions from the name of an initializer.

#ifndef REBASIN_ONNX_NAMES_H_
#define REBASIN_ONNX_NAMES_H_

#include <string_view>

namespace rebasin {

// Whether the exporter chose the name, and not the author of the model:
// "onnx::MatMul_12", "123", "val_5", "/layers.0/Constant_output_0",
// "const_fold_opt__7"; or "view_3" after a folded operator.
bool IsAnonymous(std::string_view name);

// Whether the last component of a module path is the name of a table or buffer
// that is not trained: "layers.0.attn.inv_freq".
bool IsNamedLikeTable(std::string_view name);

}  // namespace rebasin

#endif  // REBASIN_ONNX_NAMES_H_
