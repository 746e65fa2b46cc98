// What the layers above ask of an operator: plain data in its row.
//
// A row states facts; the layer that needs a fact interprets it. So no layer
// but this one has a list of operators' names. Each fact has a value for "does
// not apply", and most have kUnsaid, which a test refuses: an operator without
// a thought on, say, its degrees cannot be added by mistake.

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
  kUnsaid,
  kOther,
  kLayer,          // sums of products: the layers that are counted
  kNormalization,  // subtracts a mean, or divides by a norm
  kComparison,     // of two inputs, element by element
  kShapeOnly,      // reads the shape of its input, not its elements
};

// Whether src/discovery/rules has a rule for the operator.
enum class SymmetryLaw : uint8_t {
  kUnsaid,
  kRule,
  kNone,  // every axis that the operator touches is fixed
};

// How the output scales with the inputs, or changes sign with them.
enum class DegreeLaw : uint8_t {
  kUnsaid,
  kNone,         // nothing may be scaled where the operator is
  kLinear,       // sums, means, selections: degrees pass on
  kHomogeneous,  // f(s x) = s f(x) for s > 0 only
  kOdd,          // f(-x) = -f(x)
  kEven,         // f(-x) = f(x)
  kAbsolute,     // both homogeneous and even
  kPower,        // even if the second input is the constant 2
  kConversion,   // linear if it makes floats
  kProduct,      // of the first two, plus the third
  kConvolution,  // the same; in groups, channels have no labels of their own
  kProductOfAll,
  kQuotient,
  kSlopes,  // homogeneous in the first, whose slopes the second has
  kChoice,  // of the second or third by the first
  kBatchNorm,
  kInstanceNorm,
  kLayerNorm,
  kGroupNorm,
  kMoved,       // numbers stay what they are; strips say where they go
  kPadded,      // ... and zeros around them
  kReshaped,    // ... in the same order
  kRearranged,  // ... in another order
};

// What a weight starts as where the operator takes it.
enum class Start : uint8_t {
  kUnsaid,
  kNone,           // the operator takes no weights
  kZeros,          // nothing better is known
  kFanIn,          // normal, by the size of the sums; vectors are zeros
  kNormalization,  // scales and variances are ones, the rest zeros
  kOnes,
  kSlope,
  kTable,        // small numbers
  kTableOrBias,  // vectors are zeros, others small numbers
};

// The multiplications of one node, from the shapes of its first two inputs and
// of its output.
using CountFunction = double (*)(const Shape& first, const Shape& second,
                                 const Shape& output);
// For all but convolutions and products of matrices, which is little.
double CountsNothing(const Shape& first, const Shape& second,
                     const Shape& output);

// How the first output is a view of the first input.
enum class View : uint8_t {
  kUnsaid,
  kNone,
  kWhole,          // the same
  kConverted,      // to the element type that the node names
  kConvertedLike,  // to the element type of another input
  kRegrouped,      // the same elements in the same order, with other axes
  kTransposed,
};

// What is true of the first input (of all inputs, if all are data) and of the
// output, too, since the operator moves elements and computes nothing.
struct Kept {
  bool output_is_input = false;  // the first output is the first input
  bool weights = false;          // a weight, moved, is still a weight
  bool indices = false;          // numbers fit the table that they index
  bool positions = false;        // numbers are positions along some axis ...
  bool chosen_units = false;     // ... whose units may be permuted
};

// Which elements of the output depend on the open sizes of the graph's inputs
// if some elements of the inputs do.
enum class SizeMarks : uint8_t {
  kUnsaid,
  kAll,
  kMoved,  // those that the elements become
  kEach,   // those at the same places
  kAxes,   // they are the sizes of the input's axes, one by one
};

// Sizes that a node states, by number, and that change with the number of
// units. verify/shrink.cc writes them anew.
enum class WrittenSizes : uint8_t {
  kUnsaid,
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

// When the numbers of the output are not zero but for chance. Written with
// n(i): input i is not zero but for chance; w(i): input i is a weight.
enum class ZeroLaw : uint8_t {
  kUnsaid,
  kMayBeZero,
  kAsInput,     // n(0)
  kAsTable,     // w(0)
  kAsBias,      // w(2)
  kAsSum,       // n(0) or n(1)
  kAsProduct,   // n(0) and n(1)
  kAsAffine,    // w(2), or n(0) and n(1)
  kAsFactors,   // n(0) and n(1), where constants without zeros count
  kAsDividend,  // n(0), where constants without zeros count
};

// When the numbers along the last axis of the output differ but for chance.
// Written with d(i): they do in input i; n(i) and w(i) as above.
enum class DistinctLaw : uint8_t {
  kUnsaid,
  kMayTie,
  kAsInput,    // d(0): the function is monotonic
  kAsProduct,  // n(0) and w(1)
  kAsSum,      // d(0) and w(1), or w(0) and d(1)
};

// The outputs whose numbers are positions along the axis of the first input
// that the node names.
enum class PositionOutputs : uint8_t {
  kUnsaid,
  kNone,
  kAll,
  kAllButFirst,
};

enum class Commutes : uint8_t { kUnsaid, kNo, kYes };

// Whether nn/ops has a lowering for the operator.
enum class LoweredBy : uint8_t {
  kUnsaid,
  kTensors,
  kTensorsWithoutGradient,  // its results are positions, bits, truths
  kReference,  // it runs by its meaning, in double and without gradients
};

// What a node means that leaves an attribute out: a number, a list of this
// number, or a word.
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
  OperatorClass is = OperatorClass::kUnsaid;
  // The last one stands for all inputs that follow.
  std::span<const OperatorInput> inputs = {};
  SymmetryLaw symmetry = SymmetryLaw::kUnsaid;
  DegreeLaw degrees = DegreeLaw::kUnsaid;
  Start start = Start::kUnsaid;
  CountFunction count = nullptr;
  View view = View::kUnsaid;
  std::optional<Kept> kept = {};
  SizeMarks marks = SizeMarks::kUnsaid;
  WrittenSizes written = WrittenSizes::kUnsaid;
  ZeroLaw zeros = ZeroLaw::kUnsaid;
  DistinctLaw distinct = DistinctLaw::kUnsaid;
  PositionOutputs positions = PositionOutputs::kUnsaid;
  Commutes commutes = Commutes::kUnsaid;
  LoweredBy lowered = LoweredBy::kUnsaid;
  std::span<const AttributeDefault> defaults = {};
  // Attributes that say nothing which the inputs do not say.
  std::string_view implied_attribute = {};

  // Of role kUnsaid if the row lists no inputs.
  constexpr OperatorInput input(size_t number) const {
    if (inputs.empty()) return {};
    return inputs[number < inputs.size() ? number : inputs.size() - 1];
  }
  constexpr Kept keeps() const { return kept.value_or(Kept{}); }
  // The first input of this role; nothing if there is none.
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
