// Builds graphs node by node, with shapes inferred at once, so that the code
// of an architecture can ask for the shape of what it has built so far.

#ifndef REBASIN_GRAPH_BUILDER_H_
#define REBASIN_GRAPH_BUILDER_H_

#include <string>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

class GraphBuilder {
 public:
  // Open sizes (kOpenSize) are named by `symbols` and taken as 2 while
  // building.
  ValueId Input(std::string name, Shape shape, Kind kind = Kind::kFloat,
                std::vector<std::string> symbols = {});
  // The same id for the same name: weights may be used twice (tied). Requires
  // the same shape then.
  ValueId Weight(const std::string& name, Shape shape);
  ValueId Constant(Array array);
  ValueId Ints(std::vector<int64_t> values);  // a vector
  ValueId Int(int64_t value);                 // a scalar
  ValueId Float(double value);                // a scalar

  // Adds a node; its first output, or all of them. The name is made of the
  // scope and the operator, "layer1.0/Conv".
  ValueId Add(std::string op, std::vector<ValueId> inputs,
              Attributes attributes = {});
  std::vector<ValueId> AddMany(std::string op, std::vector<ValueId> inputs,
                               Attributes attributes, int outputs);
  void Output(ValueId value, std::string name);

  // Names of nodes added from here on start with this.
  void SetScope(std::string scope) { scope_ = std::move(scope); }

  const Shape& shape(ValueId value) const {
    return inference_.types.at(value).shape;
  }

  Graph Build();

 private:
  ValueId AddValue(Value value);

  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> outputs_;
  std::map<std::string, ValueId> weights_;
  std::string scope_;
  Inference inference_;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_BUILDER_H_
