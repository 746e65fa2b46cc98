// A graph made ready to run on inputs of given shapes: shapes inferred, shape
// arithmetic folded, constants turned into tensors, and for each node that is
// left, what runs it and which values die with it.

#ifndef REBASIN_NN_PLAN_H_
#define REBASIN_NN_PLAN_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <vector>

#include "graph/inference.h"
#include "nn/lowering.h"
#include "rebasin/graph.h"

namespace rebasin::nn {

// A node that has to be run.
struct Step {
  const Node* node = nullptr;
  const Operator* op = nullptr;        // its reference meaning
  const Lowering* lowering = nullptr;  // null: run by the reference meaning
  // By input, as OpContext wants them; they point into the plan.
  std::vector<const ValueType*> types = {};
  std::vector<const Array*> arrays = {};
  std::vector<ValueType> outputs = {};
  std::vector<ValueId> dying = {};  // not needed after this step
};

class Plan {
 public:
  // `graph` must outlive the plan.
  Plan(const Graph& graph, const std::vector<Shape>& input_shapes,
       at::ScalarType float_type, at::Device device);

  const std::vector<Step>& steps() const { return steps_; }
  // The tensors of all values that are known before running; undefined for
  // others.
  const std::vector<at::Tensor>& known() const { return known_; }

 private:
  void AddStep(const Node& node);
  void FindDying(const Graph& graph);

  Inference inference_;
  std::vector<Step> steps_;
  std::vector<at::Tensor> known_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PLAN_H_
