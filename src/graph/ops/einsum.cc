// Einsum: products of arrays with labelled axes, summed over the labels that
// the output does not have.

#include <algorithm>
#include <map>

#include "graph/ops/common.h"
#include "graph/ops/einsum_equation.h"
#include "graph/ops/multiply.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

std::vector<ValueType> InferEinsum(const OpContext& context) {
  const Equation equation = ParseEquation(context);
  return {KnownType(context.type(0).kind, ShapeOf(equation.output, equation))};
}

// An array with one axis for each label.
struct Term {
  Labels labels;
  std::vector<double> values;
};

bool Has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Takes the diagonal if a label occurs twice, and drops axes that would be
// broadcast.
Term MakeTerm(const Array& array, const Labels& labels,
              const Equation& equation) {
  const std::vector<int64_t> strides = Strides(array.shape);
  std::map<Label, int64_t> steps;
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    if (array.shape[axis] != equation.sizes.at(labels[axis])) continue;
    steps[labels[axis]] += strides[axis];
  }
  Term term;
  std::vector<int64_t> step_list;
  for (const auto& [label, step] : steps) {
    term.labels.push_back(label);
    step_list.push_back(step);
  }
  term.values = Pick(array.values(),
                     StridedOffsets(ShapeOf(term.labels, equation), step_list));
  return term;
}

Term Rearranged(const Term& term, const Labels& order,
                const Equation& equation) {
  const auto strides = Strides(ShapeOf(term.labels, equation));
  std::vector<int64_t> steps;
  for (Label label : order) {
    const auto found = std::find(term.labels.begin(), term.labels.end(), label);
    steps.push_back(strides[found - term.labels.begin()]);
  }
  return {order,
          Pick(term.values, StridedOffsets(ShapeOf(order, equation), steps))};
}

// Sums over all labels that are not in `keep`.
Term SummedTo(const Term& term, const Labels& keep, const Equation& equation) {
  Labels order, rest;
  for (Label label : term.labels) {
    (Has(keep, label) ? order : rest).push_back(label);
  }
  if (rest.empty()) return term;
  Term result{order, std::vector<double>(Count(ShapeOf(order, equation)), 0)};
  if (result.values.empty()) return result;
  order.insert(order.end(), rest.begin(), rest.end());
  const Term sorted = Rearranged(term, order, equation);
  const size_t each = sorted.values.size() / result.values.size();
  for (size_t i = 0; i < sorted.values.size(); ++i) {
    result.values[i / each] += sorted.values[i];
  }
  return result;
}

// The product of two terms, summed over the labels that both have and that are
// not in `keep`. Computed as a batch of matrix products.
Term Multiplied(const OpContext& context, const Term& a, const Term& b,
                const Labels& keep, const Equation& equation) {
  Labels batch, depth, rows, columns;
  for (Label label : a.labels) {
    if (!Has(b.labels, label)) {
      rows.push_back(label);
    } else {
      (Has(keep, label) ? batch : depth).push_back(label);
    }
  }
  for (Label label : b.labels) {
    if (!Has(a.labels, label)) columns.push_back(label);
  }
  const auto joined = [](Labels first, const Labels& second,
                         const Labels& third) {
    first.insert(first.end(), second.begin(), second.end());
    first.insert(first.end(), third.begin(), third.end());
    return first;
  };
  const auto count = [&](const Labels& labels) {
    return Count(ShapeOf(labels, equation));
  };
  constexpr int64_t kLargest = int64_t{1} << 32;
  Term result{joined(batch, rows, columns), {}};
  const int64_t size = Product(context, ShapeOf(result.labels, equation));
  if (size > kLargest) throw Unsupported(context, "its products are too large");
  result.values.resize(size);
  if (size == 0) return result;
  const Term left = Rearranged(a, joined(batch, rows, depth), equation);
  const Term right = Rearranged(b, joined(batch, depth, columns), equation);
  const int64_t m = count(rows), n = count(columns), k = count(depth);
  for (int64_t i = 0; i < count(batch); ++i) {
    MultiplyAdd(m, n, k, left.values.data() + i * m * k,
                right.values.data() + i * k * n,
                result.values.data() + i * m * n);
  }
  return result;
}

// The labels of the output and of the inputs from `begin` on.
Labels NeededFrom(size_t begin, const Equation& equation) {
  Labels needed = equation.output;
  for (size_t i = begin; i < equation.inputs.size(); ++i) {
    const Labels& labels = equation.inputs[i];
    needed.insert(needed.end(), labels.begin(), labels.end());
  }
  return needed;
}

// Multiplies from left to right, and sums over each label as soon as possible.
std::vector<Array> EvaluateEinsum(const OpContext& context,
                                  std::span<const ValueType> types) {
  const Equation equation = ParseEquation(context);
  Term result = MakeTerm(*context.array(0), equation.inputs[0], equation);
  result = SummedTo(result, NeededFrom(1, equation), equation);
  for (size_t i = 1; i < context.inputs(); ++i) {
    const Labels later = NeededFrom(i + 1, equation);
    Labels needed = later;
    needed.insert(needed.end(), result.labels.begin(), result.labels.end());
    Term term = MakeTerm(*context.array(i), equation.inputs[i], equation);
    term = SummedTo(term, needed, equation);
    needed = later;
    needed.insert(needed.end(), term.labels.begin(), term.labels.end());
    result = SummedTo(result, needed, equation);
    result = Multiplied(context, result, term, later, equation);
  }
  result = Rearranged(SummedTo(result, equation.output, equation),
                      equation.output, equation);
  return SingleOutput(types[0], std::move(result.values));
}

constexpr OperatorInput kFactors[] = {{.role = InputRole::kFactor}};

constexpr Operator kOperators[] = {
    {"Einsum", kAnyNumber, InferEinsum, EvaluateEinsum,
     With(kUsual, OperatorClass::kLayer, kFactors, DegreeLaw::kProductOfAll,
          WeightInit::kZeros),
     kCostly},
};

}  // namespace

std::span<const Operator> EinsumOperators() { return kOperators; }

}  // namespace rebasin
