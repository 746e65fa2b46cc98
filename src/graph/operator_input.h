// The facts about one input of an operator: its role, the range of its
// integers, and the meaning of its axes.

#ifndef REBASIN_GRAPH_OPERATOR_INPUT_H_
#define REBASIN_GRAPH_OPERATOR_INPUT_H_

#include <cstdint>
#include <string_view>

namespace rebasin {

// The role of an input.
enum class InputRole : uint8_t {
  kUnspecified,
  kData,
  // Parameters, if they are trained:
  kFactor,    // of sums of products: the weight of a layer
  kBias,      // added to each output channel
  kGateBias,  // the two biases of each gate of a recurrent layer
  kPeephole,  // from a cell's state to its gates
  kScale,     // of a normalisation, as are the next two
  kMean,      // a running statistic
  kVariance,  // a running statistic
  kSlope,     // of a rectifier; even a single number is trained
  kTable,     // a table whose rows are looked up
  kAddend,    // a bias if it is a vector
  kOperand,   // of other arithmetic
  // Not parameters:
  kScores,   // numbers by which the operator chooses
  kIndices,  // positions along the axis that the node names
  kTuples,   // positions along several axes
  kLengths,  // of sequences
  kShape,    // the sizes of the output's axes
  kSetting,  // other settings: axes, pads, bounds
};

constexpr bool IsParameter(InputRole role) {
  return role >= InputRole::kFactor && role <= InputRole::kOperand;
}

constexpr bool IsStatistic(InputRole role) {
  return role == InputRole::kMean || role == InputRole::kVariance;
}

// The upper bound of the integers of an input.
enum class IndexLimit : uint8_t {
  kNone,
  kNamedAxis,     // the size of the first input's axis that the node names
  kSmallestAxis,  // the smallest size of the first input's axes
  kSteps,         // one more than the first input's steps: the size of the axis
                  // that the attribute "time_axis" names, or of the first
};

// Negative axes count from the end.
inline constexpr int kNoAxis = 127;

struct OperatorInput {
  InputRole role = InputRole::kUnspecified;
  IndexLimit limit = IndexLimit::kNone;
  // For a parameter: the axis that counts the layer's output channels, and the
  // axis of these channels in the node's first output.
  int channel_axis = kNoAxis;
  int output_axis = kNoAxis;
  // The range of axes that each element of the output sums over.
  int first_summed = kNoAxis;
  int last_summed = kNoAxis;
  // The attribute that swaps the two axes of the input if it is not 0.
  std::string_view swapped_by = {};
  // If the attribute "group" is not 1, channel_axis counts the channels of one
  // group only.
  bool channels_of_one_group = false;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPERATOR_INPUT_H_
