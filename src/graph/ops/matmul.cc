// Matrix products.

#include <algorithm>

#include "graph/ops/broadcast.h"
#include "graph/ops/ops.h"

namespace rebasin {
namespace {

// Vectors count as matrices with one row (on the left) or column (right).
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
  return {MakeArray(types[0].kind, types[0].shape, std::move(result))};
}

constexpr Operator kOperators[] = {
    {"MatMul", InferMatMul, EvaluateMatMul},
};

}  // namespace

std::span<const Operator> MatMulOperators() { return kOperators; }

}  // namespace rebasin
