#include "onnx/roles.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "onnx/names.h"

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

class Uses {
 public:
  explicit Uses(const onnx::GraphProto& graph) {
    for (const auto& node : graph.node()) {
      for (int i = 0; i < node.input_size(); ++i) {
        uses_.emplace(node.input(i), Use{&node, i});
      }
    }
  }

  // Whether the value, or what it is reshaped into, is somebody's parameter.
  bool IsParameter(std::string_view name) const {
    std::set<std::string_view> seen = {name};
    std::vector<std::string_view> waiting = {name};
    while (!waiting.empty()) {
      const std::string_view value = waiting.back();
      waiting.pop_back();
      const auto [begin, end] = uses_.equal_range(value);
      for (auto it = begin; it != end; ++it) {
        const auto& [node, input] = it->second;
        if (TakesParameter(node->op_type(), input)) return true;
        if (!Passes(*node, input)) continue;
        for (const std::string& output : node->output()) {
          if (seen.insert(output).second) waiting.push_back(output);
        }
      }
    }
    return false;
  }

 private:
  struct Use {
    const onnx::NodeProto* node;
    int input;
  };
  std::multimap<std::string_view, Use> uses_;
};

bool MatchesAny(const std::string& name,
                const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& glob) {
    return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

// Masks and the like: at most two different numbers, or some that no training
// ends with.
bool HoldsFewNumbers(const Tensor& tensor) {
  constexpr int64_t kChunk = 4096;
  std::vector<double> chunk;
  std::vector<double> different;
  for (int64_t begin = 0; begin < tensor.size(); begin += kChunk) {
    chunk.resize(std::min(kChunk, tensor.size() - begin));
    ReadDoubles(tensor, begin, chunk);
    for (double number : chunk) {
      if (!std::isfinite(number)) return true;
      if (std::find(different.begin(), different.end(), number) !=
          different.end()) {
        continue;
      }
      if (different.size() == 2) return false;
      different.push_back(number);
    }
  }
  return true;
}

Role RoleOf(const Tensor& tensor, const Uses& uses,
            const std::vector<std::string>& constants) {
  if (!IsArithmetic(tensor.dtype)) return Role::kConstant;
  if (MatchesAny(tensor.name, constants)) return Role::kConstant;
  if (IsNamedLikeTable(tensor.name)) return Role::kConstant;
  if (!IsAnonymous(tensor.name)) return Role::kWeight;
  const bool weight = tensor.size() > 1 && uses.IsParameter(tensor.name) &&
                      !HoldsFewNumbers(tensor);
  return weight ? Role::kWeight : Role::kConstant;
}

}  // namespace

std::vector<Role> ClassifyInitializers(
    const ModelFile& file, const std::vector<std::string>& constants) {
  const Uses uses(file.graph());
  std::vector<Role> roles;
  for (const Tensor& tensor : file.initializers()) {
    roles.push_back(RoleOf(tensor, uses, constants));
  }
  return roles;
}

}  // namespace rebasin
