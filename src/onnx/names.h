// What the name of an initializer says about it.

#ifndef REBASIN_ONNX_NAMES_H_
#define REBASIN_ONNX_NAMES_H_

#include <string_view>

namespace rebasin {

// Named by the exporter ("onnx::MatMul_12", "123", "val_5",
// "/layers.0/Constant_output_0", "const_fold_opt__7", and "view_3" by what was
// folded) and not by the author of the model.
bool IsAnonymous(std::string_view name);

// The last component of a path of modules says that this is a table or a
// buffer and not trained: "layers.0.attn.inv_freq".
bool IsNamedLikeTable(std::string_view name);

}  // namespace rebasin

#endif  // REBASIN_ONNX_NAMES_H_
