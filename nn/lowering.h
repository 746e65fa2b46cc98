// The lowering of an operator: a function from tensors to tensors of LibTorch.
//
// Shapes, attributes and values known before running come from the same
// OpContext that the reference functions in graph/ops use, so attributes are
// read in one place. Operators without a lowering are run by their reference
// function, in double and without gradients, as their rows state
// (LoweredBy::kReference). So are forms that a lowering does not support: roots
// of integers, the indices of MaxPool, computed sequence lengths.

#ifndef REBASIN_NN_LOWERING_H_
#define REBASIN_NN_LOWERING_H_

#include <ATen/core/Tensor.h>
#include <c10/util/Optional.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/operator.h"

namespace rebasin::nn {

// The behaviour of BatchNormalization.
struct BatchNormMode {
  // Normalise by the batch's mean and variance, and update the running
  // statistics in place: new = old + momentum (batch's - old).
  bool batch_statistics = false;
  double momentum = 0.1;
};

// One node with its inputs, ready to run.
class OpCall {
 public:
  // `floats` is the type and device of floating-point tensors, `factors` the
  // type to which factors of products are rounded.
  OpCall(const OpContext& context, std::span<const at::Tensor> inputs,
         std::span<const ValueType> outputs, at::TensorOptions floats,
         at::ScalarType factors, const BatchNormMode& batch_norm)
      : context_(context),
        inputs_(inputs),
        outputs_(outputs),
        floats_(floats),
        factors_(factors),
        batch_norm_(batch_norm) {}

  const OpContext& context() const { return context_; }
  size_t inputs() const { return inputs_.size(); }
  bool Has(size_t input) const { return context_.Has(input); }
  const at::Tensor& operator[](size_t input) const { return inputs_[input]; }
  // Returns nothing if the optional input is missing.
  c10::optional<at::Tensor> Optional(size_t input) const;
  // True if factors are rounded before multiplication.
  bool RoundsFactors() const { return factors_ != floats_.dtype(); }
  // The input as a factor, in this layout if rounding makes a copy; and the
  // conversion of a product back to `floats`.
  at::Tensor Factor(size_t input,
                    at::MemoryFormat layout = at::MemoryFormat::Preserve) const;
  at::Tensor FromFactors(const at::Tensor& product) const;
  // The types of the outputs from the shape rules; always known.
  const ValueType& output(size_t i) const { return outputs_[i]; }
  // Options for creating output i.
  at::TensorOptions options(size_t i) const;
  const BatchNormMode& batch_norm() const { return batch_norm_; }

  // The integers of an input known before running (axes, sizes). Throws
  // Error(kUnsupported) if it is not known.
  std::vector<int64_t> Ints(size_t input) const;
  // The number in an input of one element; nothing if the input is missing or
  // not known before running.
  std::optional<double> Number(size_t input) const;

 private:
  const OpContext& context_;
  std::span<const at::Tensor> inputs_;
  std::span<const ValueType> outputs_;
  at::TensorOptions floats_;
  at::ScalarType factors_;
  const BatchNormMode& batch_norm_;
};

// Returns one tensor for each output; unused ones may be undefined.
using LowerFunction = std::vector<at::Tensor> (*)(const OpCall&);

// Returns whether a lowering supports the node's form; otherwise the reference
// function runs it.
using FitsFunction = bool (*)(const OpContext&);

struct Lowering {
  std::string_view op;
  LowerFunction run;
  FitsFunction fits = nullptr;  // null: all forms
};

// Returns nullptr for operators without a lowering.
const Lowering* FindLowering(std::string_view op);
// Returns nullptr also if the node's form is not supported.
const Lowering* FindLowering(const OpContext& context);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_LOWERING_H_
