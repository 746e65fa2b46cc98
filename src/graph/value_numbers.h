// Value numbering over several graphs. Two values get the same number exactly
// if they are computed by the same operators from the same inputs, weights and
// constants. Names of values and nodes, the order of nodes, copies of a
// computation and unused nodes do not matter.

#ifndef REBASIN_GRAPH_VALUE_NUMBERS_H_
#define REBASIN_GRAPH_VALUE_NUMBERS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Whether the node returns its first input unchanged (Identity, Dropout).
bool ReturnsFirstInput(const Node& node);

// Whether the order of the operator's inputs does not matter.
bool IsCommutative(const Node& node);

class ValueNumbers {
 public:
  // The key of a weight or constant. By default weights are identified by name
  // and constants by value.
  using LeafKey = std::function<std::string(const Value&)>;

  explicit ValueNumbers(LeafKey leaf_key = {})
      : leaf_key_(std::move(leaf_key)) {}

  // Returns the numbers by ValueId. `inputs` are the names of the graph's
  // inputs, in order.
  std::vector<int> Number(const Graph& graph,
                          const std::vector<std::string>& inputs);

 private:
  int Intern(const std::string& key);
  int InternArray(const Array& array);
  int NumberLeaf(const Value& value);
  std::string AttributesKey(const Node& node);
  std::string NodeKey(const Node& node, const std::vector<int>& numbers);

  LeafKey leaf_key_;
  std::unordered_map<std::string, int> keys_;
  // By hash, so that each array is stored once and compared only with arrays of
  // the same hash.
  std::unordered_multimap<uint64_t, std::pair<Array, int>> arrays_;
  int next_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_VALUE_NUMBERS_H_
