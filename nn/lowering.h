// What an operator is to LibTorch: a function from tensors to tensors.
//
// Shapes, attributes and values that are known before running come through the
// same OpContext that the reference meanings in graph/ops see, so that there is
// one reading of every attribute. Operators without a lowering are run by
// their reference meaning, in double and without gradients; their rows say so
// (LoweredBy::kReference). So are forms that a lowering does not have: roots of
// integers, the indices of MaxPool, lengths of sequences that are computed.

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

// How BatchNormalization behaves.
struct BatchNormMode {
  // Normalise by the batch's own mean and variance, and move the running
  // statistics towards them in place: new = old + momentum (batch's - old).
  bool batch_statistics = false;
  double momentum = 0.1;
};

// One node about to run.
class OpCall {
 public:
  // `floats` says what floats are made of, and where; `factors`, what they are
  // rounded to where they are multiplied.
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
  // Nothing if the optional input is left out.
  c10::optional<at::Tensor> Optional(size_t input) const;
  // Whether floats are rounded where they are multiplied.
  bool RoundsFactors() const { return factors_ != floats_.dtype(); }
  // The input as a factor, laid out like this if rounding makes a copy; and
  // what a product of factors is.
  at::Tensor Factor(size_t input,
                    at::MemoryFormat layout = at::MemoryFormat::Preserve) const;
  at::Tensor FromFactors(const at::Tensor& product) const;
  // What the shape rules say of the outputs; always known.
  const ValueType& output(size_t i) const { return outputs_[i]; }
  // For tensors made by the operator: those of output i.
  at::TensorOptions options(size_t i) const;
  const BatchNormMode& batch_norm() const { return batch_norm_; }

  // The integers of an input that is known before running (axes, sizes).
  // Throws Error(kUnsupported) if it is not.
  std::vector<int64_t> Ints(size_t input) const;
  // The number in an input of one element; nothing if the input is left out, or
  // its value is not known before running.
  std::optional<double> Number(size_t input) const;

 private:
  const OpContext& context_;
  std::span<const at::Tensor> inputs_;
  std::span<const ValueType> outputs_;
  at::TensorOptions floats_;
  at::ScalarType factors_;
  const BatchNormMode& batch_norm_;
};

// One tensor for each output (those nobody uses may be undefined).
using LowerFunction = std::vector<at::Tensor> (*)(const OpCall&);

// Whether a lowering has the node's form; the reference meaning runs others.
using FitsFunction = bool (*)(const OpContext&);

struct Lowering {
  std::string_view op;
  LowerFunction run;
  FitsFunction fits = nullptr;  // null: all forms
};

// Null for operators that have none.
const Lowering* FindLowering(std::string_view op);
// Null also if it does not have the node's form.
const Lowering* FindLowering(const OpContext& context);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_LOWERING_H_
