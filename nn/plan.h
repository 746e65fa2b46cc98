// A graph prepared for inputs of given shapes: shapes are inferred, shape
// arithmetic is folded, constants are tensors, and each remaining node has the
// function that runs it and the list of values to free afterwards.

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

// A node to run.
struct Step {
  const Node* node = nullptr;
  const Operator* op = nullptr;        // its reference function
  const Lowering* lowering = nullptr;  // null: use the reference function
  // By input, as OpContext requires; they point into the plan.
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
  // The tensors of all values known before running; undefined for others.
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
