// How the values of a graph are connected: which nodes produce and use them,
// what they are computed from, and how many layers come before and after them.

#ifndef REBASIN_GRAPH_FLOW_H_
#define REBASIN_GRAPH_FLOW_H_

#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Whether the operator computes sums of products of its inputs: convolutions,
// matrix products, recurrent layers.
bool IsProduct(const Node& node);

// Keeps a reference to the graph, which must outlive this object.
class Flow {
 public:
  explicit Flow(const Graph& graph);

  // The node that computes the value. Null for inputs, weights and constants.
  const Node* Producer(ValueId value) const { return makers_[value]; }
  // The nodes that use the value. A node that uses it twice is listed twice.
  const std::vector<const Node*>& Users(ValueId value) const {
    return users_[value];
  }
  // The number of uses by nodes and as an output of the graph.
  int Uses(ValueId value) const;

  // Whether the numbers of the value (not only its shape) depend on the
  // graph's inputs.
  bool DependsOnInputs(ValueId value) const { return from_inputs_[value]; }
  // Whether the value is computed from weights alone, or from weights and
  // constants.
  bool DependsOnWeightsOnly(ValueId value) const {
    return from_weights_[value] && !from_inputs_[value];
  }

  // Whether the node combines data and weights in sums of products (IsProduct).
  // Depth counts these layers.
  bool IsLayer(const Node& node) const;
  // The number of layers on the longest path from the inputs to the value,
  // including the node that computes it.
  int Depth(ValueId value) const { return depths_[value]; }
  // Whether there is a path from the value to an output without another layer.
  bool ReachesOutput(ValueId value) const { return reaches_output_[value]; }

 private:
  void RecordUses(const Graph& graph);
  void PropagateForward(const Graph& graph);
  void PropagateBackward(const Graph& graph);

  std::vector<const Node*> makers_;
  std::vector<std::vector<const Node*>> users_;
  std::vector<int> output_uses_;
  std::vector<bool> from_inputs_;
  std::vector<bool> from_weights_;
  std::vector<bool> reaches_output_;
  std::vector<int> depths_;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_FLOW_H_
