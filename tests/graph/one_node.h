// A graph of one node, and how it is run. Programs that run the cases of these
// tests in another way bring their own RunOneNode.

#ifndef REBASIN_TESTS_GRAPH_ONE_NODE_H_
#define REBASIN_TESTS_GRAPH_ONE_NODE_H_

#include <string>
#include <vector>

#include "graph/run_op.h"
#include "rebasin/graph.h"

namespace rebasin::testing {

struct OneNode {
  Graph graph;
  std::vector<Array> inputs;
  std::vector<Shape> shapes;
};

// Inputs become inputs of the graph; or, if they are integers and
// `constant_integers` says so, constants.
OneNode MakeGraph(const std::string& op, const std::vector<Arg>& args,
                  const Attributes& attributes, int outputs,
                  bool constant_integers);

// Expects that the inferred types are those of the results.
std::vector<Array> RunOneNode(const OneNode& one);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_GRAPH_ONE_NODE_H_
