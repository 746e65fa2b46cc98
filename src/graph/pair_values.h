// Two graphs walked together, from their outputs back to their inputs.

#ifndef REBASIN_GRAPH_PAIR_VALUES_H_
#define REBASIN_GRAPH_PAIR_VALUES_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/value_numbers.h"
#include "rebasin/graph.h"

namespace rebasin {

// A value of each of two graphs, in the same place of both.
struct ValuePair {
  ValueId a = kNoValue;
  ValueId b = kNoValue;
};

// Refers to the graphs, which must outlive it.
class PairedGraphs {
 public:
  PairedGraphs(const Graph& a, const Graph& b,
               ValueNumbers::LeafKey leaf_key = {});

  // The outputs of the graphs, as far as both have them: by name if all names
  // are the same, else by position.
  const std::vector<ValuePair>& outputs() const { return outputs_; }

  // Whether the values are computed alike. False if one is left out.
  bool Same(ValuePair pair) const;
  // Null for inputs, weights and constants.
  const Node* MakerOfA(ValueId value) const { return a_.makers[value]; }
  const Node* MakerOfB(ValueId value) const { return b_.makers[value]; }
  // The inputs of both nodes in turn, a missing one as kNoValue, what Identity
  // and Dropout hand on in place of their outputs. Of operators whose order of
  // inputs does not matter, those that are the same come together.
  std::vector<ValuePair> Inputs(const Node& a, const Node& b) const;

  // Visits pairs from the outputs on, each value of A once; those behind a pair
  // that is the same only if asked to.
  void Walk(bool into_same, const std::function<void(ValuePair)>& visit) const;

 private:
  struct Side {
    const Graph* graph = nullptr;
    std::vector<const Node*> makers;  // by ValueId
    // By ValueId: what Identity and Dropout have handed on.
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
