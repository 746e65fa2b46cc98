#include "nn/lowering.h"

#include <map>

#include "nn/ops/ops.h"
#include "nn/tensors.h"

namespace rebasin::nn {
namespace {

using Table = std::map<std::string_view, const Lowering*>;

Table MakeTable() {
  Table table;
  for (const std::span<const Lowering> family : AllLowerings()) {
    for (const Lowering& lowering : family) table[lowering.op] = &lowering;
  }
  return table;
}

}  // namespace

c10::optional<at::Tensor> OpCall::Optional(size_t input) const {
  if (!Has(input)) return c10::nullopt;
  return inputs_[input];
}

at::Tensor OpCall::Factor(size_t input, at::MemoryFormat layout) const {
  const at::Tensor& tensor = inputs_[input];
  if (!RoundsFactors() || !tensor.is_floating_point()) return tensor;
  return tensor.to(factors_, /*non_blocking=*/false, /*copy=*/false, layout);
}

at::Tensor OpCall::FromFactors(const at::Tensor& product) const {
  return product.to(options(0));
}

at::TensorOptions OpCall::options(size_t i) const {
  return floats_.dtype(ScalarTypeOf(
      outputs_[i].kind, c10::typeMetaToScalarType(floats_.dtype())));
}

std::vector<int64_t> OpCall::Ints(size_t input) const {
  if (const auto ints = context_.Ints(input)) return *ints;
  throw Error(ErrorCode::kUnsupported,
              "cannot run " + NodeText(context_.node()) + ": input " +
                  std::to_string(input) + " depends on data");
}

std::optional<double> OpCall::Number(size_t input) const {
  const Array* array = context_.array(input);
  if (array == nullptr || array->size() != 1) return std::nullopt;
  return array->values()[0];
}

const Lowering* FindLowering(std::string_view op) {
  static const Table table = MakeTable();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

const Lowering* FindLowering(const OpContext& context) {
  const Lowering* found = FindLowering(context.node().op);
  const bool fits =
      found != nullptr && (found->fits == nullptr || found->fits(context));
  return fits ? found : nullptr;
}

}  // namespace rebasin::nn
