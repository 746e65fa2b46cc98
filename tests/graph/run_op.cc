#include "graph/run_op.h"

#include <numeric>
#include <utility>

#include "graph/one_node.h"
#include "support/expect_error.h"

namespace rebasin::testing {
namespace {

using ::testing::AllOf;
using ::testing::Field;
using ::testing::Matcher;
using ::testing::Property;

}  // namespace

Array Floats(Shape shape, std::vector<double> values) {
  return MakeArray(Kind::kFloat, std::move(shape), std::move(values));
}

Array Integers(std::vector<double> values) {
  const int64_t size = static_cast<int64_t>(values.size());
  return MakeArray(Kind::kInteger, {size}, std::move(values));
}

Array Integers(Shape shape, std::vector<double> values) {
  return MakeArray(Kind::kInteger, std::move(shape), std::move(values));
}

Array Integer(double value) { return MakeArray(Kind::kInteger, {}, {value}); }

Array Iota(Shape shape) {
  int64_t size = 1;
  for (int64_t s : shape) size *= s;
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 0);
  return Floats(std::move(shape), std::move(values));
}

Attribute List(std::vector<int64_t> values) { return values; }

std::vector<Array> RunAll(const std::string& op, const std::vector<Arg>& inputs,
                          const Attributes& attributes, int outputs) {
  return RunOneNode(MakeGraph(op, inputs, attributes, outputs, true));
}

Array RunOp(const std::string& op, const std::vector<Arg>& inputs,
            const Attributes& attributes) {
  return RunAll(op, inputs, attributes)[0];
}

ValueType InferOp(const std::string& op, const std::vector<Arg>& inputs,
                  const Attributes& attributes) {
  const OneNode one = MakeGraph(op, inputs, attributes, 1, false);
  return Infer(one.graph, one.shapes).types[one.graph.outputs()[0]];
}

void ExpectBad(const std::string& op, const std::vector<Arg>& inputs,
               const Attributes& attributes,
               const std::vector<std::string>& says) {
  ExpectError(ErrorCode::kBadInput, says,
              [&] { RunOp(op, inputs, attributes); });
}

void ExpectUnsupported(const std::string& op, const std::vector<Arg>& inputs,
                       const Attributes& attributes,
                       const std::vector<std::string>& says) {
  ExpectError(ErrorCode::kUnsupported, says,
              [&] { RunOp(op, inputs, attributes); });
}

Matcher<Array> Is(Shape shape, const std::vector<double>& values) {
  std::vector<Matcher<double>> near;
  for (double value : values) {
    near.push_back(::testing::NanSensitiveDoubleNear(value, 1e-5));
  }
  return AllOf(
      Field("shape", &Array::shape, std::move(shape)),
      Property("values", &Array::values, ::testing::ElementsAreArray(near)));
}

}  // namespace rebasin::testing
