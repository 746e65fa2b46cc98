// What a row says of one input of its operator: what it is taken as, which
// integers it may hold, and what its axes are to the node.

#ifndef REBASIN_GRAPH_OPERATOR_INPUT_H_
#define REBASIN_GRAPH_OPERATOR_INPUT_H_

#include <cstdint>
#include <string_view>

namespace rebasin {

// What an operator takes an input as.
enum class InputRole : uint8_t {
  kUnsaid,
  kData,
  // Parameters, if they are trained.
  kFactor,    // of sums of products: the weight of a layer
  kBias,      // added to each output channel
  kGateBias,  // the two biases of each gate of a recurrent layer
  kPeephole,  // from a cell's state to its gates
  kScale,     // of a normalisation, as are the next two
  kMean,      // a running statistic
  kVariance,  // a running statistic
  kSlope,     // of a rectifier: even a single number is trained
  kTable,     // its rows are looked up
  kAddend,    // a bias if it is a vector
  kOperand,   // of other arithmetic
  // Not parameters.
  kScores,   // the operator chooses by them
  kIndices,  // positions along the axis that the node names
  kTuples,   // positions along several axes
  kLengths,  // of sequences
  kShape,    // the sizes of the output's axes
  kSetting,  // other numbers of the architecture: axes, pads, bounds
};

constexpr bool IsParameter(InputRole role) {
  return role >= InputRole::kFactor && role <= InputRole::kOperand;
}

constexpr bool IsStatistic(InputRole role) {
  return role == InputRole::kMean || role == InputRole::kVariance;
}

// What the integers of an input must stay below.
enum class IndexLimit : uint8_t {
  kNone,
  kNamedAxis,     // the size of the first input's axis that the node names
  kSmallestAxis,  // the smallest size of the first input's axes
  kSteps,         // one more than the first input's steps: the size of the axis
                  // that the attribute "time_axis" names, or of the first
};

// Axes count from the end if they are negative.
inline constexpr int kNoAxis = 127;

struct OperatorInput {
  InputRole role = InputRole::kUnsaid;
  IndexLimit limit = IndexLimit::kNone;
  // Of a parameter: the axis that counts the layer's output channels, and the
  // axis of the node's first output where these channels lie.
  int channel_axis = kNoAxis;
  int output_axis = kNoAxis;
  // The axes that each element of the output sums over, first to last.
  int first_summed = kNoAxis;
  int last_summed = kNoAxis;
  // An attribute that, if it is not 0, swaps the two axes of the input.
  std::string_view swapped_by = {};
  // Where the attribute "group" is not 1, channel_axis counts the channels of
  // one group only.
  bool channels_of_one_group = false;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPERATOR_INPUT_H_
