// How the values of a graph hang together: who makes and uses them, what they
// are computed from, and how many layers lie before and behind them.

#ifndef REBASIN_GRAPH_FLOW_H_
#define REBASIN_GRAPH_FLOW_H_

#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Whether the operator takes sums of products of its inputs: convolutions,
// matrix products, recurrent layers.
bool IsProduct(const Node& node);

// Refers to the graph, which must outlive it.
class Flow {
 public:
  explicit Flow(const Graph& graph);

  // Null for inputs, weights and constants.
  const Node* Maker(ValueId value) const { return makers_[value]; }
  // The nodes that take the value, once for each time they do.
  const std::vector<const Node*>& Users(ValueId value) const {
    return users_[value];
  }
  // By nodes, and as an output of the graph.
  int Uses(ValueId value) const;

  // Whether the numbers of the value (not only its shape) depend on the
  // graph's inputs.
  bool FromInputs(ValueId value) const { return from_inputs_[value]; }
  // Computed from weights, and perhaps constants, alone.
  bool FromWeightsOnly(ValueId value) const {
    return from_weights_[value] && !from_inputs_[value];
  }

  // Whether the node brings data and weights together in sums of products
  // (IsProduct): the layers that are counted.
  bool IsLayer(const Node& node) const;
  // Layers on the longest path from the inputs up to and including the maker.
  int Depth(ValueId value) const { return depths_[value]; }
  // Whether an output of the graph can be reached without another layer.
  bool ReachesOutput(ValueId value) const { return reaches_output_[value]; }

 private:
  void NoteUses(const Graph& graph);
  void Forwards(const Graph& graph);
  void Backwards(const Graph& graph);

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
