// The law of degrees of each operator; see discovery/degrees.h.

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "discovery/degrees.h"

namespace rebasin {
namespace {

enum class Law {
  kLinear,       // sums, means, selections: degrees pass on
  kHomogeneous,  // f(s x) = s f(x) for s > 0 only
  kOdd,          // f(-x) = -f(x)
  kEven,         // f(-x) = f(x)
  kAbsolute,     // both homogeneous and even
  kProduct,      // of the first two, plus the third
  kProductOfAll,
  kQuotient,
  kSlopes,  // homogeneous in the first, whose slopes the second has
  kChoice,  // of the second or third by the first
  kBatchNorm,
  kInstanceNorm,
  kLayerNorm,
  kGroupNorm,
  kMoved,     // numbers stay what they are; strips say where they go
  kPadded,    // ... and zeros around them
  kReshaped,  // ... in the same order
  kRearranged,
};

const std::unordered_map<std::string_view, Law>& Laws() {
  static const std::unordered_map<std::string_view, Law> laws = {
      {"Add", Law::kLinear},
      {"Sub", Law::kLinear},
      {"Sum", Law::kLinear},
      {"Mean", Law::kLinear},
      {"Neg", Law::kLinear},
      {"Identity", Law::kLinear},
      {"Dropout", Law::kLinear},
      {"Trilu", Law::kLinear},
      {"CumSum", Law::kLinear},
      {"ReduceSum", Law::kLinear},
      {"ReduceMean", Law::kLinear},
      {"AveragePool", Law::kLinear},
      {"GlobalAveragePool", Law::kLinear},
      {"Relu", Law::kHomogeneous},
      {"LeakyRelu", Law::kHomogeneous},
      {"Max", Law::kHomogeneous},
      {"Min", Law::kHomogeneous},
      {"MaxPool", Law::kHomogeneous},
      {"GlobalMaxPool", Law::kHomogeneous},
      {"ReduceMax", Law::kHomogeneous},
      {"ReduceMin", Law::kHomogeneous},
      {"PRelu", Law::kSlopes},
      {"Abs", Law::kAbsolute},
      {"ReduceL1", Law::kAbsolute},
      {"ReduceL2", Law::kAbsolute},
      {"Tanh", Law::kOdd},
      {"Erf", Law::kOdd},
      {"Sin", Law::kOdd},
      {"Tan", Law::kOdd},
      {"Asin", Law::kOdd},
      {"Atan", Law::kOdd},
      {"Sinh", Law::kOdd},
      {"Asinh", Law::kOdd},
      {"Atanh", Law::kOdd},
      {"Softsign", Law::kOdd},
      {"Cos", Law::kEven},
      {"Cosh", Law::kEven},
      {"MatMul", Law::kProduct},
      {"Gemm", Law::kProduct},
      {"Conv", Law::kProduct},
      {"ConvTranspose", Law::kProduct},
      {"Mul", Law::kProduct},
      {"Einsum", Law::kProductOfAll},
      {"Div", Law::kQuotient},
      {"Where", Law::kChoice},
      {"BatchNormalization", Law::kBatchNorm},
      {"InstanceNormalization", Law::kInstanceNorm},
      {"LayerNormalization", Law::kLayerNorm},
      {"GroupNormalization", Law::kGroupNorm},
      {"Transpose", Law::kMoved},
      {"Concat", Law::kMoved},
      {"Split", Law::kMoved},
      {"Slice", Law::kMoved},
      {"Gather", Law::kMoved},
      {"Expand", Law::kMoved},
      {"Pad", Law::kPadded},
      {"Resize", Law::kMoved},
      {"Reshape", Law::kReshaped},
      {"Flatten", Law::kReshaped},
      {"Squeeze", Law::kReshaped},
      {"Unsqueeze", Law::kReshaped},
      {"Tile", Law::kRearranged},
      {"DepthToSpace", Law::kRearranged},
      {"SpaceToDepth", Law::kRearranged},
  };
  return laws;
}

std::vector<size_t> Range(size_t begin, size_t end) {
  std::vector<size_t> range;
  for (size_t i = begin; i < end; ++i) range.push_back(i);
  return range;
}

// One node, and how it scales.
class NodeDegrees {
 public:
  NodeDegrees(Knowledge& knowledge, size_t node, Degrees& degrees)
      : knowledge_(knowledge),
        node_(knowledge.graph().nodes()[node]),
        operands_(node_),
        notes_(knowledge.NotesOf(node)),
        degrees_(degrees),
        sign_(degrees.kind() == ScalingKind::kSign) {}

  void Apply() {
    const auto found = Laws().find(node_.op);
    if (found != Laws().end()) return Apply(found->second);
    if (node_.op == "Pow" && IsSquare()) return Apply(Law::kEven);
    if (node_.op == "Cast" && IsToFloat()) return Apply(Law::kLinear);
    ZeroAll();
  }

 private:
  void Apply(Law law) {
    switch (law) {
      case Law::kLinear:
        return Pass();
      case Law::kHomogeneous:
        return sign_ ? ZeroAll() : Pass();
      case Law::kOdd:
        return sign_ ? Pass() : ZeroAll();
      case Law::kEven:
        return sign_ ? Forget() : ZeroAll();
      case Law::kAbsolute:
        return sign_ ? Forget() : Pass();
      case Law::kProduct:
        return Product({0, 1}, 2);
      case Law::kProductOfAll:
        return Product(Range(0, operands_.inputs), operands_.inputs);
      case Law::kQuotient:
        return Quotient();
      case Law::kSlopes:
        return sign_ ? ZeroAll() : PassSome({0});
      case Law::kChoice:
        return PassSome({1, 2});
      case Law::kBatchNorm:
        return BatchNorm();
      case Law::kInstanceNorm:
        return InstanceNorm();
      case Law::kLayerNorm:
        return LayerNorm();
      case Law::kGroupNorm:
        return GroupNorm();
      case Law::kMoved:
      case Law::kPadded:
        if (notes_.strips.empty()) return ZeroAll();
        return degrees_.ByStrips(operands_, notes_.strips, law == Law::kPadded);
      case Law::kReshaped:
      case Law::kRearranged:
        return degrees_.ByAtoms(node_.inputs[0], node_.outputs[0],
                                law == Law::kReshaped);
    }
  }

  size_t output() const { return operands_.output(); }
  bool Has(size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input] != kNoValue;
  }

  void ZeroAll() {
    for (ValueId value : operands_.values) degrees_.Zero(value);
  }

  // Runs `law` on each label; without labels nothing is known.
  template <typename LawOfLabel>
  void ByLabel(const LawOfLabel& law) {
    if (!notes_.labelling) return ZeroAll();
    degrees_.ByLabel(operands_, *notes_.labelling, law);
  }

  void PassSome(std::vector<size_t> inputs) {
    inputs.push_back(output());
    ByLabel([&](const Meeting& meeting) { degrees_.Same(meeting, inputs); });
  }

  // All inputs that have labels, and the first output. Reductions lose labels,
  // which are then zero.
  void Pass() {
    std::vector<size_t> inputs;
    const size_t labelled =
        notes_.labelling ? notes_.labelling->inputs.size() : 0;
    for (size_t i = 0; i < std::min(labelled, operands_.inputs); ++i) {
      if (Has(i)) inputs.push_back(i);
    }
    PassSome(std::move(inputs));
  }

  // The output does not depend on the sign of what lies on an axis that it
  // keeps.
  void Forget() {
    ByLabel([&](const Meeting& meeting) {
      if (!meeting.Has(output())) return degrees_.Zero(meeting);
      for (size_t n = 1; n < meeting.at.size(); ++n) degrees_.Zero(meeting, n);
    });
  }

  // Inputs from `first_added` on are added to the product.
  void Product(const std::vector<size_t>& factors, size_t first_added) {
    std::vector<size_t> added;
    for (size_t i = first_added; i < operands_.inputs; ++i) {
      if (Has(i)) added.push_back(i);
    }
    if (!notes_.labelling && node_.op.starts_with("Conv")) {
      return degrees_.ProductByAtoms(node_.inputs[0], node_.inputs[1],
                                     Has(2) ? node_.inputs[2] : kNoValue,
                                     node_.outputs[0]);
    }
    ByLabel([&](const Meeting& meeting) {
      degrees_.Product(meeting, factors, added, output());
    });
  }

  void Quotient() {
    const size_t factors[] = {0, 1};
    const int signs[] = {1, -1};
    ByLabel([&](const Meeting& meeting) {
      degrees_.Product(meeting, factors, {}, output(), signs);
    });
  }

  // y = (x - mean) / sqrt(var + epsilon) * gamma + beta. Epsilon makes it
  // notice a rescaled x, but not a flipped one.
  void BatchNorm() {
    ByLabel([&](const Meeting& meeting) {
      if (!meeting.Has(1)) return degrees_.Zero(meeting);
      degrees_.Zero(meeting, 4);
      if (!sign_) degrees_.Zero(meeting, 0);
      Affine(meeting, {0, 1}, {2});
      SameAs(meeting, 0, 3);
    });
  }

  void InstanceNorm() {
    ByLabel([&](const Meeting& meeting) {
      if (!meeting.Has(1)) return degrees_.Zero(meeting);
      if (!sign_) degrees_.Zero(meeting, 0);
      Affine(meeting, {0, 1}, {2});
    });
  }

  // Sums over x, so that nothing along the normalised axes may change.
  void LayerNorm() {
    const auto mixed =
        notes_.labelling ? notes_.labelling->mixed : std::set<int>();
    ByLabel([&](const Meeting& meeting) {
      if (!mixed.contains(meeting.label)) return degrees_.Zero(meeting);
      degrees_.Zero(meeting, 0);
      Affine(meeting, {1},
             Has(2) ? std::vector<size_t>{2} : std::vector<size_t>());
    });
  }

  // Channels of x, gamma, beta and y lie on each other if there are parameters
  // for each; else groups are scaled as wholes, which no leaf can be.
  void GroupNorm() {
    const auto rank = knowledge_.axes(node_.inputs[0]).size();
    Labels channels(rank, kNoLabel);
    channels[1] = 1;
    notes_.labelling =
        Labelling{.inputs = {channels, {1}, {1}}, .outputs = {channels}};
    ByLabel([&](const Meeting& meeting) {
      degrees_.Zero(meeting, 0);
      Affine(meeting, {1}, {2});
    });
  }

  // The output is the product of `factors` plus `added`; other operands are
  // dealt with elsewhere.
  void Affine(const Meeting& meeting, std::vector<size_t> factors,
              std::vector<size_t> added) {
    Meeting part{.label = meeting.label, .at = {}};
    part.at.resize(meeting.at.size());
    for (const auto& list : {factors, added, std::vector<size_t>{output()}}) {
      for (size_t operand : list) part.at[operand] = meeting.at[operand];
    }
    degrees_.Product(part, factors, added, output());
    for (size_t n = output() + 1; n < meeting.at.size(); ++n) {
      degrees_.Zero(meeting, n);
    }
  }

  void SameAs(const Meeting& meeting, size_t x, size_t y) {
    if (!meeting.Has(x) || !meeting.Has(y)) return degrees_.Zero(meeting);
    degrees_.system().RequireEqual(meeting.at[x][0], meeting.at[y][0]);
  }

  bool IsSquare() const {
    const Array* power =
        Has(1) ? knowledge_.constant(node_.inputs[1]) : nullptr;
    return power != nullptr && power->size() == 1 && power->values()[0] == 2;
  }

  // To one of ONNX's floating-point types.
  bool IsToFloat() const {
    const auto to = node_.attributes.find("to");
    if (to == node_.attributes.end()) return false;
    const auto* type = std::get_if<int64_t>(&to->second);
    constexpr int64_t kFloats[] = {1, 10, 11, 16};
    return type != nullptr &&
           std::count(std::begin(kFloats), std::end(kFloats), *type) > 0;
  }

  Knowledge& knowledge_;
  const Node& node_;
  NodeOperands operands_;
  Notes notes_;
  Degrees& degrees_;
  bool sign_;
};

}  // namespace

void ApplyDegreeLaws(Knowledge& knowledge, Degrees& degrees) {
  const Graph& graph = knowledge.graph();
  for (size_t id = 0; id < graph.values().size(); ++id) {
    const ValueId value = static_cast<ValueId>(id);
    const Role role = graph.values()[id].role;
    const bool given = role == Role::kInput || role == Role::kConstant ||
                       knowledge.constant(value) != nullptr;
    if (given) degrees.Zero(value);
  }
  for (ValueId id : graph.outputs()) degrees.Zero(id);
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    if (!knowledge.IsFolded(n)) NodeDegrees(knowledge, n, degrees).Apply();
  }
}

}  // namespace rebasin
