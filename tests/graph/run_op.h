// Runs a graph of one node: small cases by hand.

#ifndef REBASIN_TESTS_GRAPH_RUN_OP_H_
#define REBASIN_TESTS_GRAPH_RUN_OP_H_

#include <gmock/gmock.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin::testing {

using Arg = std::optional<Array>;  // nothing: an input left out
inline constexpr std::nullopt_t kNone = std::nullopt;

Array Floats(Shape shape, std::vector<double> values);
Array Integers(std::vector<double> values);  // a vector
Array Integers(Shape shape, std::vector<double> values);
Array Integer(double value);  // a scalar
// 0, 1, 2, ...
Array Iota(Shape shape);

Attribute List(std::vector<int64_t> values);

// The outputs. The inputs are given when the graph is run, so that nothing is
// folded; integers are constants, as shapes and axes are in most graphs.
// Expects that the inferred types are those of the results.
std::vector<Array> RunAll(const std::string& op, const std::vector<Arg>& inputs,
                          const Attributes& attributes = {}, int outputs = 1);

// The first output.
Array RunOp(const std::string& op, const std::vector<Arg>& inputs,
            const Attributes& attributes = {});

// The type of the first output if no value is known.
ValueType InferOp(const std::string& op, const std::vector<Arg>& inputs,
                  const Attributes& attributes = {});

// Expects Error(kBadInput) with these parts.
void ExpectBad(const std::string& op, const std::vector<Arg>& inputs,
               const Attributes& attributes,
               const std::vector<std::string>& says);

void ExpectUnsupported(const std::string& op, const std::vector<Arg>& inputs,
                       const Attributes& attributes,
                       const std::vector<std::string>& says);

// Matches an array by shape and values, which may differ by rounding.
::testing::Matcher<Array> Is(Shape shape, const std::vector<double>& values);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_GRAPH_RUN_OP_H_
