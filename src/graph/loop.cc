#include "graph/loop.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "rebasin/error.h"

namespace rebasin {
namespace {

// Inputs of a Loop: the maximum number of iterations, the condition, the
// carried values, and the values that the body captures. Outputs of its body:
// the condition, the carried values, and the values to be stacked.
constexpr size_t kFirstCarried = 2;

// Limit of the elements of one stacked output: 1 GiB.
constexpr int64_t kLargestStack = int64_t{1} << 27;

Error Bad(const Node& node, const std::string& what) {
  return Error(ErrorCode::kBadInput, NodeText(node) + ": " + what);
}

// The only element of an array; `otherwise` if the array is omitted.
double Number(const Node& node, const Array& array, double otherwise) {
  if (!array.elements && !array.items) return otherwise;
  if (array.size() == 1) return array.values()[0];
  throw Bad(node, "its condition or number of trips is not one number");
}

Array Boolean(bool value) {
  return MakeArray(Kind::kBoolean, {}, {value ? 1.0 : 0.0});
}

// Collects one output of the body over all iterations.
class Stack {
 public:
  void Push(const Node& node, const Array& array) {
    if (array.items) throw Bad(node, "it cannot stack a sequence");
    if (count_++ == 0) {
      kind_ = array.kind;
      shape_ = array.shape;
    }
    if (array.shape != shape_) {
      throw Bad(node, "it cannot stack shapes " + ShapeText(shape_) + " and " +
                          ShapeText(array.shape));
    }
    if (count_ * std::max<int64_t>(array.size(), 1) > kLargestStack) {
      throw Error(ErrorCode::kUnsupported,
                  "cannot run the graph: " + NodeText(node) +
                      " stacks more than 1 GiB");
    }
    values_.insert(values_.end(), array.values().begin(), array.values().end());
  }

  // After zero iterations the shape of an item is unknown, and the result is
  // empty.
  Array Take() {
    Shape shape = shape_;
    shape.insert(shape.begin(), count_);
    return MakeArray(kind_, std::move(shape), std::move(values_));
  }

 private:
  Kind kind_ = Kind::kFloat;
  Shape shape_;
  int64_t count_ = 0;
  std::vector<double> values_;
};

}  // namespace

std::vector<Array> RunLoop(const Node& node, std::vector<Array> inputs,
                           const BodyRunner& run) {
  const size_t outputs = node.body->outputs().size();
  if (inputs.size() < kFirstCarried || outputs == 0 ||
      node.body->inputs().size() != inputs.size() ||
      outputs > node.outputs.size() + 1) {
    throw Bad(node, "the inputs and outputs of its body do not match its own");
  }
  const size_t stacked = node.body->outputs().size() - 1;
  const auto found = node.attributes.find("carried");
  const auto* given = found == node.attributes.end()
                          ? nullptr
                          : std::get_if<int64_t>(&found->second);
  const size_t carried = given ? static_cast<size_t>(*given) : 0;
  if (carried > stacked || carried + kFirstCarried > inputs.size()) {
    throw Bad(node, "the inputs and outputs of its body do not match its own");
  }
  const double trips =
      Number(node, inputs[0], std::numeric_limits<double>::infinity());
  bool goes_on = Number(node, inputs[1], 1) != 0;
  std::vector<Stack> stacks(stacked - carried);
  for (int64_t trip = 0; goes_on && static_cast<double>(trip) < trips; ++trip) {
    inputs[0] = MakeArray(Kind::kInteger, {}, {static_cast<double>(trip)});
    inputs[1] = Boolean(goes_on);
    std::vector<Array> results = run(*node.body, inputs);
    goes_on = Number(node, results[0], 1) != 0;
    for (size_t i = 0; i < carried; ++i) {
      inputs[kFirstCarried + i] = std::move(results[1 + i]);
    }
    for (size_t i = 0; i < stacks.size(); ++i) {
      stacks[i].Push(node, results[1 + carried + i]);
    }
  }
  std::vector<Array> result(inputs.begin() + kFirstCarried,
                            inputs.begin() + kFirstCarried + carried);
  for (Stack& stack : stacks) result.push_back(stack.Take());
  return result;
}

}  // namespace rebasin
