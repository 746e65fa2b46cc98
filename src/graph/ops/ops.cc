#include "graph/ops/ops.h"

namespace rebasin {

std::vector<std::span<const Operator>> AllOperators() {
  return {
      UnaryOperators(),   ActivationOperators(),    PassingOperators(),
      BinaryOperators(),  VariadicOperators(),      MatMulOperators(),
      ConvOperators(),    NormalizationOperators(), SoftmaxOperators(),
      PoolingOperators(), ReduceOperators(),        ShapeOperators(),
      LayoutOperators(),  CreateOperators(),        SliceOperators(),
      GatherOperators(),  OrderOperators(),         ScatterOperators(),
      PadOperators(),     ResizeOperators(),        ConvTransposeOperators(),
      EinsumOperators(),  PlainNormOperators(),     RecurrentOperators(),
      ControlOperators(), SamplingOperators(),      SuppressionOperators(),
  };
}

}  // namespace rebasin
