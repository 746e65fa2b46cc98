// Builds graphs node by node. Shapes are inferred at once, so that code that
// builds an architecture can ask for the shape of any value.

#ifndef REBASIN_GRAPH_BUILDER_H_
#define REBASIN_GRAPH_BUILDER_H_

#include <string>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

class GraphBuilder {
 public:
  // Open sizes (kOpenSize) get their names from `symbols`, and count as 2 while
  // building.
  ValueId Input(std::string name, Shape shape, Kind kind = Kind::kFloat,
                std::vector<std::string> symbols = {});
  // Returns the same id for the same name, since a weight may be used twice
  // (tied). All uses must have the same shape.
  ValueId Weight(const std::string& name, Shape shape);
  ValueId Constant(Array array);
  ValueId Ints(std::vector<int64_t> values);  // a vector
  ValueId Int(int64_t value);                 // a scalar
  ValueId Float(double value);                // a scalar

  // Adds a node and returns its first output, or all of them. The node's name
  // is made of the scope and the operator: "layer1.0/Conv".
  ValueId Add(std::string op, std::vector<ValueId> inputs,
              Attributes attributes = {});
  std::vector<ValueId> AddMany(std::string op, std::vector<ValueId> inputs,
                               Attributes attributes, int outputs);
  void Output(ValueId value, std::string name);

  // Sets a prefix for the names of all nodes that are added from here on.
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
