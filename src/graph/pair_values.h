// Traverses two graphs together, from their outputs back to their inputs.

#ifndef REBASIN_GRAPH_PAIR_VALUES_H_
#define REBASIN_GRAPH_PAIR_VALUES_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/value_numbers.h"
#include "rebasin/graph.h"

namespace rebasin {

// Two values at the same place of two graphs.
struct ValuePair {
  ValueId a = kNoValue;
  ValueId b = kNoValue;
};

// Keeps references to the graphs, which must outlive it.
class PairedGraphs {
 public:
  PairedGraphs(const Graph& a, const Graph& b,
               ValueNumbers::LeafKey leaf_key = {});

  // The outputs of the graphs, paired by name if all names are the same,
  // otherwise by position as far as both graphs have outputs.
  const std::vector<ValuePair>& outputs() const { return outputs_; }

  // Whether both values are computed in the same way. False if one is omitted.
  bool Same(ValuePair pair) const;
  // Null for inputs, weights and constants.
  const Node* ProducerOfA(ValueId value) const { return a_.makers[value]; }
  const Node* ProducerOfB(ValueId value) const { return b_.makers[value]; }
  // The inputs of both nodes in pairs, with kNoValue for a missing one. The
  // output of an Identity or Dropout is replaced by its input. For commutative
  // operators, equal inputs are paired.
  std::vector<ValuePair> Inputs(const Node& a, const Node& b) const;

  // Visits pairs, starting at the outputs, each value of A once. Continues
  // behind equal pairs only if `into_same`.
  void Walk(bool into_same, const std::function<void(ValuePair)>& visit) const;

 private:
  struct Side {
    const Graph* graph = nullptr;
    std::vector<const Node*> makers;  // by ValueId
    // By ValueId: the value that Identity and Dropout nodes pass on.
    std::vector<ValueId> sources;
    std::vector<int> numbers;  // by ValueId

    ValueId Source(ValueId value) const {
      return value == kNoValue ? kNoValue : sources[value];
    }
  };

  static Side MakeSide(const Graph& graph, ValueNumbers& numbers,
                       const std::vector<std::string>& inputs);
  bool IsSwapped(const std::vector<ValuePair>& pairs) const;

  Side a_, b_;
  std::vector<ValuePair> outputs_;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_PAIR_VALUES_H_
