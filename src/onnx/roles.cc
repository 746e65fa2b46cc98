#include "onnx/roles.h"

#include <map>
#include <set>
#include <string_view>

#include "base/patterns.h"
#include "graph/operator.h"
#include "onnx/names.h"
#include "onnx/tables.h"

namespace rebasin {
namespace {

enum class Acting { kAsSlope, kInProducts, kAnywhere };

bool TakesParameter(Acting acting, const Facts& facts, int input) {
  const InputRole role = facts.input(static_cast<size_t>(input)).role;
  if (acting == Acting::kAsSlope) return role == InputRole::kSlope;
  return IsParameter(role) &&
         (acting == Acting::kAnywhere || facts.is == OperatorClass::kLayer);
}

// Whether the output is a parameter if this input is one: the operator only
// moves elements.
bool OnlyMovesElements(const Facts& facts, int input) {
  return facts.keeps().weights &&
         facts.input(static_cast<size_t>(input)).role == InputRole::kData;
}

// The values that are used as a parameter, directly or through operators that
// only move elements. Searches backwards from the uses, so that each node is
// visited once.
class Parameters {
 public:
  Parameters(const onnx::GraphProto& graph, Acting acting) : acting_(acting) {
    Visit(graph);
    while (!waiting_.empty()) {
      const std::string_view name = waiting_.back();
      waiting_.pop_back();
      const auto [first, last] = makers_.equal_range(name);
      for (auto maker = first; maker != last; ++maker) {
        AddPassed(*maker->second, name);
      }
    }
  }

  bool Contain(std::string_view name) const { return names_.contains(name); }

 private:
  // Names in bodies are treated like names of the graph. If two branches use
  // one name for different values, each of them counts as a parameter if the
  // other is one. Nesting is limited (see wire.h).
  void Visit(const onnx::GraphProto& graph) {
    for (const auto& node : graph.node()) {
      for (const auto& output : node.output()) makers_.emplace(output, &node);
      const Facts& facts = FactsOf(node.op_type());
      for (int i = 0; i < node.input_size(); ++i) {
        if (TakesParameter(acting_, facts, i)) Add(node.input(i));
      }
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) Visit(attribute.g());
        for (const auto& inner : attribute.graphs()) Visit(inner);
      }
    }
  }

  void Add(std::string_view name) {
    if (names_.insert(name).second) waiting_.push_back(name);
  }

  // Adds the inputs that become `output` unchanged.
  void AddPassed(const onnx::NodeProto& node, std::string_view output) {
    const Facts& facts = FactsOf(node.op_type());
    for (int i = 0; i < node.input_size(); ++i) {
      if (OnlyMovesElements(facts, i)) Add(node.input(i));
    }
    if (node.op_type() != "If") return;
    for (int o = 0; o < node.output_size(); ++o) {
      if (node.output(o) != output) continue;
      for (const auto& branch : node.attribute()) {
        if (o < branch.g().output_size()) Add(branch.g().output(o).name());
      }
    }
  }

  Acting acting_;
  std::multimap<std::string_view, const onnx::NodeProto*> makers_;
  std::set<std::string_view> names_;
  // Names whose producers have not been visited yet.
  std::vector<std::string_view> waiting_;
};

// Whether the initializer is used like a weight, regardless of its name.
bool ActsAsWeight(const ModelFile& file, size_t initializer,
                  const Parameters& parameters) {
  const Tensor& tensor = file.initializers()[initializer];
  return tensor.size() > 1 &&
         parameters.Contain(file.value_name(initializer)) &&
         !HoldsFewNumbers(tensor);
}

Role RoleOf(const ModelFile& file, size_t initializer,
            const Parameters& parameters, const Parameters& slopes) {
  const Tensor& tensor = file.initializers()[initializer];
  const std::string& name = file.value_name(initializer);
  if (IsNamedLikeTable(name) || FollowsFormula(tensor)) return Role::kConstant;
  // The name of a Constant node's value gives no information.
  if (!IsAnonymous(name) && !file.is_constant_node(initializer)) {
    return Role::kWeight;
  }
  const bool weight =
      slopes.Contain(name) || ActsAsWeight(file, initializer, parameters);
  return weight ? Role::kWeight : Role::kConstant;
}

// Exporters write tables and settings as Constant nodes. Some write all tensors
// so, including weights. Then factors of matrix products are among them.
bool ConstantNodesHoldWeights(const ModelFile& file) {
  const Parameters factors(file.graph(), Acting::kInProducts);
  for (size_t i = 0; i < file.initializers().size(); ++i) {
    if (file.is_constant_node(i) && file.initializers()[i].shape.size() > 1 &&
        ActsAsWeight(file, i, factors)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Role> ClassifyInitializers(const ModelFile& file,
                                       const OnnxOptions& options) {
  const Parameters parameters(file.graph(), Acting::kAnywhere);
  const Parameters slopes(file.graph(), Acting::kAsSlope);
  const bool in_constant_nodes = ConstantNodesHoldWeights(file);
  std::vector<Role> roles;
  for (size_t i = 0; i < file.initializers().size(); ++i) {
    const Tensor& tensor = file.initializers()[i];
    const bool architecture = file.is_constant_node(i) && !in_constant_nodes;
    if (!IsArithmetic(tensor.dtype)) {
      roles.push_back(Role::kConstant);
    } else if (MatchesAnyPattern(tensor.name, options.trained)) {
      roles.push_back(Role::kWeight);
    } else if (architecture ||
               MatchesAnyPattern(tensor.name, options.constants)) {
      roles.push_back(Role::kConstant);
    } else {
      roles.push_back(RoleOf(file, i, parameters, slopes));
    }
  }
  return roles;
}

}  // namespace rebasin
