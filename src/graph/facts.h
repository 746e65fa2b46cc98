// The facts about an operator that other layers need: plain data in the
// operator's row.
//
// A row states facts, and the layer that needs a fact interprets it. So no
// other layer has a list of operator names. Each fact has a value for "does not
// apply". Most also have kUnspecified, which a test rejects, so that no
// operator can be added with a fact forgotten.

#ifndef REBASIN_GRAPH_FACTS_H_
#define REBASIN_GRAPH_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "graph/operator_input.h"
#include "rebasin/tensor.h"

namespace rebasin {

enum class OperatorClass : uint8_t {
  kUnspecified,
  kOther,
  kLayer,          // sums of products; these are the layers that depth counts
  kNormalization,  // subtracts a mean, or divides by a norm
  kComparison,     // of two inputs, element by element
  kShapeOnly,      // reads the shape of its input, not its elements
};

// Whether src/discovery/rules has a rule for the operator.
enum class SymmetryLaw : uint8_t {
  kUnspecified,
  kRule,
  kNone,  // every axis that the operator touches is fixed
};

// How the output changes if the inputs are scaled or change sign.
enum class DegreeLaw : uint8_t {
  kUnspecified,
  kNone,         // all inputs and outputs have degree zero
  kLinear,       // sums, means, selections: degrees pass on
  kHomogeneous,  // f(s x) = s f(x) for s > 0 only
  kOdd,          // f(-x) = -f(x)
  kEven,         // f(-x) = f(x)
  kAbsolute,     // both homogeneous and even
  kPower,        // even if the second input is the constant 2
  kConversion,   // linear if it makes floats
  kProduct,      // of the first two, plus the third
  kConvolution,  // the same; with groups, channels have no labels of their own
  kProductOfAll,
  kQuotient,
  kSlopes,  // homogeneous in the first input; the second one has the slopes
  kChoice,  // the first input selects the second or the third
  kBatchNorm,
  kInstanceNorm,
  kLayerNorm,
  kGroupNorm,
  kMoved,       // elements are moved unchanged; strips say where
  kPadded,      // the same, with zeros around them
  kReshaped,    // the same, in the same order
  kRearranged,  // the same, in another order
};

// How a weight is initialised if the operator takes it.
enum class WeightInit : uint8_t {
  kUnspecified,
  kNone,           // the operator takes no weights
  kZeros,          // no better value is known
  kFanIn,          // normal, scaled by the fan-in; vectors are zeros
  kNormalization,  // scales and variances are ones, the rest zeros
  kOnes,
  kSlope,
  kTable,        // small numbers
  kTableOrBias,  // vectors are zeros, others small numbers
};

// The number of multiplications of one node, from the shapes of its first two
// inputs and of its output.
using CountFunction = double (*)(const Shape& first, const Shape& second,
                                 const Shape& output);
// Returns zero: for all operators but convolutions and matrix products.
double NoMultiplications(const Shape& first, const Shape& second,
                         const Shape& output);

// How the first output is a view of the first input.
enum class View : uint8_t {
  kUnspecified,
  kNone,
  kWhole,          // unchanged
  kConverted,      // converted to the element type that the node names
  kConvertedLike,  // converted to the element type of another input
  kRegrouped,      // the same elements in the same order, with other axes
  kTransposed,
};

// Properties of the first input (of all inputs, if all are data) that also hold
// for the output, since the operator moves elements without computing.
struct Kept {
  bool output_is_input = false;  // the first output is the first input
  bool weights = false;          // if the input is a weight, so is the output
  bool indices = false;    // indices remain valid for the table that they index
  bool positions = false;  // numbers that are positions along an axis remain so
  // The same, for positions along an axis that may be permuted.
  bool chosen_units = false;
};

// Which elements of the output depend on the open sizes of the graph's inputs,
// if some elements of the inputs do.
enum class SizeMarks : uint8_t {
  kUnspecified,
  kAll,
  kMoved,  // the places to which dependent elements are moved
  kEach,   // the places of dependent elements
  kAxes,   // elements are the sizes of the input's axes, in order
};

// Sizes that a node states as numbers and that depend on the number of units.
// verify/shrink.cc replaces them.
enum class WrittenSizes : uint8_t {
  kUnspecified,
  kNone,
  kOutputShape,
  kSliceBorders,
  kSplitSizes,
  kPickedIndex,
  kPads,
  kRepeats,
  kGroupsOfInput,   // weight axis 1 holds the input channels of one group
  kGroupsOfOutput,  // weight axis 1 holds the output channels of one group
  kNormGroups,
  kHiddenSize,
  kResizedShape,
};

// When the numbers of the output are almost surely nonzero. n(i): input i is
// almost surely nonzero; w(i): input i is a weight.
enum class ZeroLaw : uint8_t {
  kUnspecified,
  kMayBeZero,
  kAsInput,     // n(0)
  kAsTable,     // w(0)
  kAsBias,      // w(2)
  kAsSum,       // n(0) or n(1)
  kAsProduct,   // n(0) and n(1)
  kAsAffine,    // w(2), or n(0) and n(1)
  kAsFactors,   // n(0) and n(1); a constant without zeros counts as nonzero
  kAsDividend,  // n(0); a constant without zeros counts as nonzero
};

// When the numbers along the last axis of the output are almost surely
// distinct. d(i): those of input i are; n(i) and w(i) as above.
enum class DistinctLaw : uint8_t {
  kUnspecified,
  kMayTie,
  kAsInput,    // d(0): the function is monotonic
  kAsProduct,  // n(0) and w(1)
  kAsSum,      // d(0) and w(1), or w(0) and d(1)
};

// The outputs whose numbers are positions along the axis of the first input
// that the node names.
enum class PositionOutputs : uint8_t {
  kUnspecified,
  kNone,
  kAll,
  kAllButFirst,
};

enum class Commutes : uint8_t { kUnspecified, kNo, kYes };

// Whether nn/ops has a lowering for the operator.
enum class LoweredBy : uint8_t {
  kUnspecified,
  kTensors,
  kTensorsWithoutGradient,  // results are positions, bits or booleans
  // Run by the reference interpreter, in double and without gradients.
  kReference,
};

// The value of an attribute that a node omits: a number, a list of this number,
// or a string.
struct AttributeDefault {
  constexpr AttributeDefault(std::string_view attribute, float usual)
      : name(attribute), number(usual) {}
  constexpr AttributeDefault(std::string_view attribute, std::string_view usual)
      : name(attribute), word(usual) {}

  std::string_view name;
  std::optional<float> number = {};
  std::string_view word = {};  // if there is no number
};

struct Facts {
  OperatorClass is = OperatorClass::kUnspecified;
  // The last entry also describes all further inputs.
  std::span<const OperatorInput> inputs = {};
  SymmetryLaw symmetry = SymmetryLaw::kUnspecified;
  DegreeLaw degrees = DegreeLaw::kUnspecified;
  WeightInit init = WeightInit::kUnspecified;
  CountFunction count = nullptr;
  View view = View::kUnspecified;
  std::optional<Kept> kept = {};
  SizeMarks marks = SizeMarks::kUnspecified;
  WrittenSizes written = WrittenSizes::kUnspecified;
  ZeroLaw zeros = ZeroLaw::kUnspecified;
  DistinctLaw distinct = DistinctLaw::kUnspecified;
  PositionOutputs positions = PositionOutputs::kUnspecified;
  Commutes commutes = Commutes::kUnspecified;
  LoweredBy lowered = LoweredBy::kUnspecified;
  std::span<const AttributeDefault> defaults = {};
  // An attribute whose value follows from the inputs.
  std::string_view implied_attribute = {};

  // Has role kUnspecified if the row lists no inputs.
  constexpr OperatorInput input(size_t number) const {
    if (inputs.empty()) return {};
    return inputs[number < inputs.size() ? number : inputs.size() - 1];
  }
  constexpr Kept keeps() const { return kept.value_or(Kept{}); }
  // The first input with this role, if any.
  constexpr std::optional<size_t> FindInput(InputRole role) const {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].role == role) return i;
    }
    return std::nullopt;
  }
  constexpr const AttributeDefault* FindDefault(std::string_view name) const {
    for (const AttributeDefault& each : defaults) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_FACTS_H_
