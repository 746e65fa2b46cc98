// Matrix products.

#include <algorithm>

#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/multiply.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// A vector counts as a matrix with one row (left operand) or one column (right
// operand).
struct Operand {
  Shape batch;
  int64_t rows = 1;
  int64_t columns = 1;
};

Operand LeftOperand(const Shape& shape) {
  const size_t rank = shape.size();
  Operand operand;
  operand.columns = shape[rank - 1];
  if (rank == 1) return operand;
  operand.rows = shape[rank - 2];
  operand.batch.assign(shape.begin(), shape.end() - 2);
  return operand;
}

Operand RightOperand(const Shape& shape) {
  if (shape.size() > 1) return LeftOperand(shape);
  return {.batch = {}, .rows = shape[0], .columns = 1};
}

std::vector<ValueType> InferMatMul(const OpContext& context) {
  if (context.rank(0) == 0 || context.rank(1) == 0) {
    throw context.Bad("a scalar cannot be multiplied as a matrix");
  }
  const Operand a = LeftOperand(context.shape(0));
  const Operand b = RightOperand(context.shape(1));
  if (a.columns != b.rows) {
    throw context.Bad("shapes " + ShapeText(context.shape(0)) + " and " +
                      ShapeText(context.shape(1)) + " cannot be multiplied");
  }
  Shape shape = BroadcastShapes(context, a.batch, b.batch);
  if (context.rank(0) > 1) shape.push_back(a.rows);
  if (context.rank(1) > 1) shape.push_back(b.columns);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<Array> EvaluateMatMul(const OpContext& context,
                                  std::span<const ValueType> types) {
  const Operand a = LeftOperand(context.shape(0));
  const Operand b = RightOperand(context.shape(1));
  const Shape batch = BroadcastShapes(context, a.batch, b.batch);
  const std::vector<int64_t> a_index = BroadcastOffsets(a.batch, batch);
  const std::vector<int64_t> b_index = BroadcastOffsets(b.batch, batch);
  const double* a_data = context.array(0)->values().data();
  const double* b_data = context.array(1)->values().data();
  const int64_t size = a.rows * b.columns;
  std::vector<double> result(a_index.size() * size, 0.0);
  for (size_t i = 0; i < a_index.size(); ++i) {
    MultiplyAdd(
        a.rows, b.columns, a.columns, a_data + a_index[i] * a.rows * a.columns,
        b_data + b_index[i] * b.rows * b.columns, result.data() + i * size);
  }
  return SingleOutput(types[0], std::move(result));
}

// The sizes of an operand of Gemm, after transposition.
Operand GemmOperand(const OpContext& context, size_t input,
                    std::string_view transposed) {
  if (context.rank(input) != 2) {
    throw context.Bad("its operands are not matrices");
  }
  const Shape& shape = context.shape(input);
  if (context.Int(transposed, 0) != 0) {
    return {.batch = {}, .rows = shape[1], .columns = shape[0]};
  }
  return {.batch = {}, .rows = shape[0], .columns = shape[1]};
}

std::vector<ValueType> InferGemm(const OpContext& context) {
  const Operand a = GemmOperand(context, 0, "transA");
  const Operand b = GemmOperand(context, 1, "transB");
  if (a.columns != b.rows) {
    throw context.Bad("shapes " + ShapeText(context.shape(0)) + " and " +
                      ShapeText(context.shape(1)) + " cannot be multiplied");
  }
  Shape shape = {a.rows, b.columns};
  if (context.Has(2) &&
      BroadcastShapes(context, shape, context.shape(2)) != shape) {
    throw context.Bad("C " + ShapeText(context.shape(2)) + " does not fit " +
                      ShapeText(shape));
  }
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<double> GemmValues(const OpContext& context, size_t input,
                               std::string_view transposed) {
  const Array& array = *context.array(input);
  if (context.Int(transposed, 0) == 0) return array.values();
  const Shape& shape = array.shape;
  return Pick(
      array.values(),
      StridedOffsets({shape[1], shape[0]}, std::vector{int64_t{1}, shape[1]}));
}

std::vector<Array> EvaluateGemm(const OpContext& context,
                                std::span<const ValueType> types) {
  const Operand a = GemmOperand(context, 0, "transA");
  const Operand b = GemmOperand(context, 1, "transB");
  std::vector<double> a_values = GemmValues(context, 0, "transA");
  const double alpha = context.Float("alpha", 1);
  for (double& value : a_values) value *= alpha;
  std::vector<double> result(a.rows * b.columns, 0.0);
  if (context.Has(2)) {
    result = BroadcastValues(*context.array(2), types[0].shape);
    const double beta = context.Float("beta", 1);
    for (double& value : result) value *= beta;
  }
  MultiplyAdd(a.rows, b.columns, a.columns, a_values.data(),
              GemmValues(context, 1, "transB").data(), result.data());
  return SingleOutput(types[0], std::move(result));
}

constexpr OperatorInput kMatMul[] = {{.role = InputRole::kFactor,
                                      .channel_axis = -2,
                                      .output_axis = -2,
                                      .first_summed = -1,
                                      .last_summed = -1},
                                     {.role = InputRole::kFactor,
                                      .channel_axis = -1,
                                      .output_axis = -1,
                                      .first_summed = -2,
                                      .last_summed = -2}};

// Weights are usually the right operand.
constexpr OperatorInput kGemm[] = {{.role = InputRole::kFactor,
                                    .first_summed = 1,
                                    .last_summed = 1,
                                    .swapped_by = "transA"},
                                   {.role = InputRole::kFactor,
                                    .channel_axis = 1,
                                    .output_axis = 1,
                                    .first_summed = 0,
                                    .last_summed = 0,
                                    .swapped_by = "transB"},
                                   {.role = InputRole::kBias}};

constexpr AttributeDefault kGemmDefaults[] = {
    {"alpha", 1}, {"beta", 1}, {"transA", 0}, {"transB", 0}};

double CountMatMul(const Shape& first, const Shape&, const Shape& output) {
  if (first.empty()) return 0;
  return Elements(output) * static_cast<double>(first.back());
}

// The axis that is summed over is the one that the output's rows do not have.
double CountGemm(const Shape& first, const Shape&, const Shape& output) {
  return Elements(first) * RowElements(output);
}

constexpr Facts kMultiplies =
    With(kUsual, OperatorClass::kLayer, DegreeLaw::kProduct, WeightInit::kFanIn,
         DistinctLaw::kAsProduct);

constexpr Operator kOperators[] = {
    {"MatMul", 2, InferMatMul, EvaluateMatMul,
     With(kMultiplies, kMatMul, CountMatMul, ZeroLaw::kAsProduct), kCostly},
    {"Gemm", 3, InferGemm, EvaluateGemm,
     With(kMultiplies, kGemm, CountGemm, ZeroLaw::kAsAffine, kGemmDefaults),
     kCostly},
};

}  // namespace

std::span<const Operator> MatmulOperators() { return kOperators; }

}  // namespace rebasin
