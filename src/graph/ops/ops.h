// The operators, one file a family. Each file hands over its table.

#ifndef REBASIN_GRAPH_OPS_OPS_H_
#define REBASIN_GRAPH_OPS_OPS_H_

#include <span>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

std::span<const Operator> UnaryOperators();       // Relu, Sqrt ...
std::span<const Operator> ActivationOperators();  // LeakyRelu, Gelu ...
std::span<const Operator> PassingOperators();     // Identity, Cast, Clip ...
std::span<const Operator> BinaryOperators();      // Add, Equal, PRelu ...
std::span<const Operator> VariadicOperators();    // Sum, Max, Where ...
std::span<const Operator> MatMulOperators();      // MatMul, Gemm
std::span<const Operator> ConvOperators();        // Conv
std::span<const Operator> NormalizationOperators();
std::span<const Operator> SoftmaxOperators();  // and LpNormalization
std::span<const Operator> PoolingOperators();  // MaxPool, AveragePool ...
std::span<const Operator> ReduceOperators();   // and global pooling
std::span<const Operator> ShapeOperators();    // Shape, Reshape, Squeeze ...
std::span<const Operator> LayoutOperators();   // Transpose, Tile ...
std::span<const Operator> CreateOperators();   // Constant, Range, OneHot ...
std::span<const Operator> SliceOperators();    // Concat, Split, Slice
std::span<const Operator> GatherOperators();
std::span<const Operator> OrderOperators();  // ArgMax, CumSum, TopK ...
std::span<const Operator> ScatterOperators();
std::span<const Operator> PadOperators();
std::span<const Operator> ResizeOperators();
std::span<const Operator> ConvTransposeOperators();
std::span<const Operator> EinsumOperators();
std::span<const Operator> PlainNormOperators();    // without weights
std::span<const Operator> RecurrentOperators();    // LSTM, GRU, RNN
std::span<const Operator> ControlOperators();      // If
std::span<const Operator> SamplingOperators();     // GridSample, RoiAlign
std::span<const Operator> SuppressionOperators();  // NonMaxSuppression

// All of the above.
std::vector<std::span<const Operator>> AllOperators();

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_OPS_H_
