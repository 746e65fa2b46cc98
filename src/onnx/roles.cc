#include "onnx/roles.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/patterns.h"
#include "onnx/names.h"
#include "onnx/tables.h"

namespace rebasin {
namespace {

// The inputs through which an operator takes parameters: bit i for input i.
struct ParameterInputs {
  std::string_view op;
  uint32_t inputs;
};

constexpr ParameterInputs kParameterInputs[] = {
    {"MatMul", 0b11},
    {"Gemm", 0b111},
    {"Conv", 0b110},
    {"ConvTranspose", 0b110},
    {"Einsum", ~0u},
    // Not the initial states, which exporters fill with zeros.
    {"LSTM", 0b10001110},
    {"GRU", 0b1110},
    {"RNN", 0b1110},
    {"BatchNormalization", 0b11110},
    {"InstanceNormalization", 0b110},
    {"LayerNormalization", 0b110},
    {"GroupNormalization", 0b110},
    {"PRelu", 0b10},
    {"Gather", 0b1},
    {"Add", 0b11},
    {"Sub", 0b11},
    {"Mul", 0b11},
    {"Div", 0b11},
};

// What a parameter may pass on its way to where it acts.
constexpr std::string_view kPassing[] = {
    "Transpose", "Reshape", "Cast",  "CastLike", "Identity", "Squeeze",
    "Unsqueeze", "Flatten", "Slice", "Split",    "Concat",   "Expand"};

bool TakesParameter(std::string_view op, int input) {
  const auto found =
      std::find_if(std::begin(kParameterInputs), std::end(kParameterInputs),
                   [&](const ParameterInputs& row) { return row.op == op; });
  return found != std::end(kParameterInputs) && input < 32 &&
         (found->inputs >> input & 1) != 0;
}

bool Passes(const onnx::NodeProto& node, int input) {
  const bool listed = std::find(std::begin(kPassing), std::end(kPassing),
                                node.op_type()) != std::end(kPassing);
  // Other inputs of these operators are shapes and axes.
  return listed && (input == 0 || node.op_type() == "Concat");
}

// The values that are somebody's parameter, directly or after passing. Found
// backwards from where parameters act, so that each node is seen once.
class Parameters {
 public:
  explicit Parameters(const onnx::GraphProto& graph) {
    std::map<std::string_view, const onnx::NodeProto*> makers;
    for (const auto& node : graph.node()) {
      for (const std::string& output : node.output()) makers[output] = &node;
      for (int i = 0; i < node.input_size(); ++i) {
        if (TakesParameter(node.op_type(), i)) Add(node.input(i));
      }
    }
    while (!waiting_.empty()) {
      const auto maker = makers.find(waiting_.back());
      waiting_.pop_back();
      if (maker != makers.end()) AddPassed(*maker->second);
    }
  }

  bool Contain(std::string_view name) const { return names_.contains(name); }

 private:
  void Add(std::string_view name) {
    if (names_.insert(name).second) waiting_.push_back(name);
  }

  void AddPassed(const onnx::NodeProto& node) {
    for (int i = 0; i < node.input_size(); ++i) {
      if (Passes(node, i)) Add(node.input(i));
    }
  }

  std::set<std::string_view> names_;
  std::vector<std::string_view> waiting_;  // their makers are to be looked at
};

Role RoleOf(const Tensor& tensor, const Parameters& parameters,
            const OnnxOptions& options) {
  if (!IsArithmetic(tensor.dtype)) return Role::kConstant;
  if (MatchesAnyPattern(tensor.name, options.trained)) return Role::kWeight;
  if (MatchesAnyPattern(tensor.name, options.constants)) {
    return Role::kConstant;
  }
  if (IsNamedLikeTable(tensor.name) || FollowsFormula(tensor)) {
    return Role::kConstant;
  }
  if (!IsAnonymous(tensor.name)) return Role::kWeight;
  const bool weight = tensor.size() > 1 && parameters.Contain(tensor.name) &&
                      !HoldsFewNumbers(tensor);
  return weight ? Role::kWeight : Role::kConstant;
}

}  // namespace

std::vector<Role> ClassifyInitializers(const ModelFile& file,
                                       const OnnxOptions& options) {
  const Parameters parameters(file.graph());
  std::vector<Role> roles;
  for (const Tensor& tensor : file.initializers()) {
    roles.push_back(RoleOf(tensor, parameters, options));
  }
  return roles;
}

}  // namespace rebasin
