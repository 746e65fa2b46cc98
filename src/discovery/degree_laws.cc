// The equations of each law of degrees (graph/facts.h); see
// discovery/degrees.h.

#include <algorithm>
#include <set>

#include "discovery/degrees.h"
#include "graph/operator.h"

namespace rebasin {
namespace {

std::vector<size_t> Range(size_t begin, size_t end) {
  std::vector<size_t> range;
  for (size_t i = begin; i < end; ++i) range.push_back(i);
  return range;
}

// Adds the equations of one node.
class NodeDegrees {
 public:
  NodeDegrees(Knowledge& knowledge, size_t node, Degrees& degrees)
      : knowledge_(knowledge),
        node_(knowledge.graph().nodes()[node]),
        operands_(node_),
        correspondence_(knowledge.CorrespondenceOf(node)),
        degrees_(degrees),
        sign_(degrees.kind() == ScalingKind::kSign) {}

  void Apply() {
    switch (const DegreeLaw law = FactsOf(node_).degrees) {
      case DegreeLaw::kUnspecified:
      case DegreeLaw::kNone:
        return ZeroAll();
      case DegreeLaw::kLinear:
        return Pass();
      case DegreeLaw::kHomogeneous:
        return sign_ ? ZeroAll() : Pass();
      case DegreeLaw::kOdd:
        return sign_ ? Pass() : ZeroAll();
      case DegreeLaw::kEven:
        return Even();
      case DegreeLaw::kAbsolute:
        return sign_ ? IgnoreSign() : Pass();
      case DegreeLaw::kPower:
        return IsSquare() ? Even() : ZeroAll();
      case DegreeLaw::kConversion:
        return IsToFloat() ? Pass() : ZeroAll();
      case DegreeLaw::kProduct:
        return Product({0, 1}, 2);
      case DegreeLaw::kConvolution:
        return correspondence_.labelling ? Product({0, 1}, 2)
                                         : GroupedProduct();
      case DegreeLaw::kProductOfAll:
        return Product(Range(0, operands_.inputs), operands_.inputs);
      case DegreeLaw::kQuotient:
        return Quotient();
      case DegreeLaw::kSlopes:
        return sign_ ? ZeroAll() : PassSome({0});
      case DegreeLaw::kChoice:
        return PassSome({1, 2});
      case DegreeLaw::kBatchNorm:
        return BatchNorm();
      case DegreeLaw::kInstanceNorm:
        return InstanceNorm();
      case DegreeLaw::kLayerNorm:
        return LayerNorm();
      case DegreeLaw::kGroupNorm:
        return GroupNorm();
      case DegreeLaw::kMoved:
      case DegreeLaw::kPadded:
        return Strips(law == DegreeLaw::kPadded);
      case DegreeLaw::kReshaped:
      case DegreeLaw::kRearranged:
        return degrees_.TieAtoms(node_.inputs[0], node_.outputs[0],
                                 law == DegreeLaw::kReshaped);
    }
  }

 private:
  size_t output() const { return operands_.output(); }
  bool Has(size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input] != kNoValue;
  }

  void ZeroAll() {
    for (ValueId value : operands_.values) degrees_.Zero(value);
  }

  // Calls `law` for each label. Without labels, all degrees are zero.
  template <typename LawOfLabel>
  void ByLabel(const LawOfLabel& law) {
    if (!correspondence_.labelling) return ZeroAll();
    degrees_.ByLabel(operands_, *correspondence_.labelling, law);
  }

  void PassSome(std::vector<size_t> inputs) {
    inputs.push_back(output());
    ByLabel([&](const LabelUnknowns& at_label) {
      degrees_.RequireSame(at_label, inputs);
    });
  }

  // All inputs that have labels, and the first output, have the same degree.
  // Labels that a reduction removes have degree zero.
  void Pass() {
    std::vector<size_t> inputs;
    const size_t labelled = correspondence_.labelling
                                ? correspondence_.labelling->inputs.size()
                                : 0;
    for (size_t i = 0; i < std::min(labelled, operands_.inputs); ++i) {
      if (Has(i)) inputs.push_back(i);
    }
    PassSome(std::move(inputs));
  }

  void Even() { return sign_ ? IgnoreSign() : ZeroAll(); }

  // The law of operators like Abs: the output does not change if the sign of
  // the input changes.
  void IgnoreSign() {
    ByLabel([&](const LabelUnknowns& at_label) {
      if (!at_label.Has(output())) return degrees_.Zero(at_label);
      for (size_t n = 1; n < at_label.by_operand.size(); ++n) {
        degrees_.Zero(at_label, n);
      }
    });
  }

  // Inputs from `first_added` on are added to the product.
  void Product(const std::vector<size_t>& factors, size_t first_added) {
    std::vector<size_t> added;
    for (size_t i = first_added; i < operands_.inputs; ++i) {
      if (Has(i)) added.push_back(i);
    }
    ByLabel([&](const LabelUnknowns& at_label) {
      degrees_.Product(at_label, factors, added, output());
    });
  }

  void GroupedProduct() {
    degrees_.ProductByAtoms(node_.inputs[0], node_.inputs[1],
                            Has(2) ? node_.inputs[2] : kNoValue,
                            node_.outputs[0]);
  }

  void Quotient() {
    const size_t factors[] = {0, 1};
    const int signs[] = {1, -1};
    ByLabel([&](const LabelUnknowns& at_label) {
      degrees_.Product(at_label, factors, {}, output(), signs);
    });
  }

  // y = (x - mean) / sqrt(var + epsilon) * gamma + beta. Because of epsilon the
  // output changes if x is rescaled, but not if its sign changes.
  void BatchNorm() {
    ByLabel([&](const LabelUnknowns& at_label) {
      if (!at_label.Has(1)) return degrees_.Zero(at_label);
      degrees_.Zero(at_label, 4);
      if (!sign_) degrees_.Zero(at_label, 0);
      Affine(at_label, {0, 1}, {2});
      SameAs(at_label, 0, 3);
    });
  }

  void InstanceNorm() {
    ByLabel([&](const LabelUnknowns& at_label) {
      if (!at_label.Has(1)) return degrees_.Zero(at_label);
      if (!sign_) degrees_.Zero(at_label, 0);
      Affine(at_label, {0, 1}, {2});
    });
  }

  // Sums over x, so that x must not be scaled along the normalised axes.
  void LayerNorm() {
    const auto mixed = correspondence_.labelling
                           ? correspondence_.labelling->mixed
                           : std::set<int>();
    ByLabel([&](const LabelUnknowns& at_label) {
      if (!mixed.contains(at_label.label)) return degrees_.Zero(at_label);
      degrees_.Zero(at_label, 0);
      Affine(at_label, {1},
             Has(2) ? std::vector<size_t>{2} : std::vector<size_t>());
    });
  }

  // If there are parameters for each channel, the channels of x, gamma, beta
  // and y correspond. Otherwise groups are scaled as wholes, and no leaf is.
  void GroupNorm() {
    const auto rank = knowledge_.axes(node_.inputs[0]).size();
    Labels channels(rank, kNoLabel);
    channels[1] = 1;
    correspondence_.labelling =
        Labelling{.inputs = {channels, {1}, {1}}, .outputs = {channels}};
    ByLabel([&](const LabelUnknowns& at_label) {
      degrees_.Zero(at_label, 0);
      Affine(at_label, {1}, {2});
    });
  }

  // The output is the product of `factors` plus `added`. Adds no equations for
  // other inputs, and requires degree zero for further outputs.
  void Affine(const LabelUnknowns& at_label, std::vector<size_t> factors,
              std::vector<size_t> added) {
    LabelUnknowns part{.label = at_label.label, .by_operand = {}};
    part.by_operand.resize(at_label.by_operand.size());
    for (const auto& list : {factors, added, std::vector<size_t>{output()}}) {
      for (size_t operand : list) {
        part.by_operand[operand] = at_label.by_operand[operand];
      }
    }
    degrees_.Product(part, factors, added, output());
    for (size_t n = output() + 1; n < at_label.by_operand.size(); ++n) {
      degrees_.Zero(at_label, n);
    }
  }

  void Strips(bool padded) {
    if (correspondence_.strips.empty()) return ZeroAll();
    degrees_.TieStrips(operands_, correspondence_.strips, padded);
  }

  void SameAs(const LabelUnknowns& at_label, size_t x, size_t y) {
    if (!at_label.Has(x) || !at_label.Has(y)) return degrees_.Zero(at_label);
    degrees_.system().RequireEqual(at_label.by_operand[x][0],
                                   at_label.by_operand[y][0]);
  }

  bool IsSquare() const {
    const Array* power =
        Has(1) ? knowledge_.constant(node_.inputs[1]) : nullptr;
    return power != nullptr && power->size() == 1 && power->values()[0] == 2;
  }

  // Whether the node casts to a floating-point type (numbers as in ONNX).
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
  AxisCorrespondence correspondence_;
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
