#include "repair/layer_site.h"

#include "graph/operator.h"
#include "repair/attributes.h"
#include "repair/operand.h"

namespace rebasin {
namespace {

ValueId Operand(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : kNoValue;
}

// The axes that run over the channels of a layer.
struct Channels {
  size_t operand = 1;        // of the node: the weight
  int64_t operand_axis = 0;  // of that operand
  int64_t value_axis = 1;    // of the node's output
};

int64_t RankOf(const GraphView& view, ValueId value) {
  return static_cast<int64_t>(view.ShapeOf(value).size());
}

// False for grouped layers in which a channel is a pair (group, channel), and
// the group is part of another axis.
bool HasWholeChannels(const Node& node, const OperatorInput& input) {
  return !input.channels_of_one_group ||
         AttributeOr<int64_t>(node, "group", 1) == 1;
}

// The channel axes that belong to input `number` of the node.
std::optional<Channels> ChannelsOf(const GraphView& view, const Node& node,
                                   size_t number) {
  const OperatorInput input = FactsOf(node).input(number);
  const bool said = input.role == InputRole::kFactor &&
                    input.channel_axis != kNoAxis &&
                    input.output_axis != kNoAxis;
  if (!said || !HasWholeChannels(node, input)) return std::nullopt;
  const size_t rank = view.ShapeOf(node.inputs[number]).size();
  // A vector has no channel axis: the product sums over its only axis.
  if (rank < 2) return std::nullopt;
  const size_t axis = StatedAxis(node, input, input.channel_axis, rank);
  Channels channels{number, static_cast<int64_t>(axis), input.output_axis};
  if (channels.value_axis < 0) {
    channels.value_axis += RankOf(view, node.outputs[0]);
    // If the right operand is a vector, the output has no column axis.
    if (number == 0 && RankOf(view, node.inputs[1]) < 2) ++channels.value_axis;
  }
  return channels;
}

std::optional<Channels> ChannelsOf(const GraphView& view, const Node& node) {
  if (!view.Known(node.inputs[0]) || !view.Known(node.inputs[1])) {
    return std::nullopt;
  }
  const size_t weight = view.flow.DependsOnWeightsOnly(node.inputs[1]) ? 1 : 0;
  return ChannelsOf(view, node, weight);
}

// Returns the weight of `operand` if it has one number for each channel.
std::optional<WeightAxis> BiasWeight(const GraphView& view,
                                     const RepairSite& site, ValueId operand,
                                     int64_t rank) {
  if (!view.Known(operand)) return std::nullopt;
  const auto axis = BroadcastAxis(view.ShapeOf(operand), rank,
                                  site.channel_axis, site.channels);
  if (!axis) return std::nullopt;
  return OwnWeight(view.graph, view.flow, view.inference, operand, *axis);
}

// Adds the bias, input `input` of the node. Returns false if the bias is used
// elsewhere: then the value cannot be scaled either.
bool TakeOwnBias(const GraphView& view, const Node& node, size_t input,
                 RepairSite& site) {
  // A bias whose facts name no axis is broadcast to the value.
  const int axis = FactsOf(node).input(input).channel_axis;
  RepairSite seen = site;
  if (axis != kNoAxis) seen.channel_axis = axis;
  const int64_t rank = axis != kNoAxis ? 1 : RankOf(view, site.value);
  const auto bias = BiasWeight(view, seen, node.inputs[input], rank);
  if (!bias) return false;
  site.scaled.push_back(*bias);
  // Gemm may multiply its bias by beta, which could be zero.
  if (AttributeOr<double>(node, "beta", 1) == 1) site.shifted = *bias;
  return true;
}

// Adds the bias of a following Add. Returns false if there is an Add, but the
// value has other uses that must not change.
bool TakeAddedBias(const GraphView& view, RepairSite& site) {
  const auto rank = static_cast<int64_t>(view.ShapeOf(site.value).size());
  for (const Node* user : view.flow.Users(site.value)) {
    if (RoleOfInput(*user, 0) != InputRole::kAddend) continue;
    const bool first = user->inputs[0] == site.value;
    const auto bias = BiasWeight(view, site, user->inputs[first ? 1 : 0], rank);
    if (!bias) continue;
    if (view.flow.Uses(site.value) != 1) return false;
    site.value = user->outputs[0];
    site.scaled.push_back(*bias);
    site.shifted = *bias;
    return true;
  }
  return true;
}

}  // namespace

std::optional<RepairSite> LayerSite(const GraphView& view, const Node& node) {
  if (!view.flow.IsLayer(node) || !view.Known(node.outputs[0])) {
    return std::nullopt;
  }
  const auto channels = ChannelsOf(view, node);
  if (!channels) return std::nullopt;
  const auto weight =
      OwnWeight(view.graph, view.flow, view.inference,
                node.inputs[channels->operand], channels->operand_axis);
  if (!weight) return std::nullopt;
  RepairSite site;
  site.value = node.outputs[0];
  site.channel_axis = channels->value_axis;
  site.channels = view.ShapeOf(site.value)[site.channel_axis];
  site.scaled = {*weight};
  const auto own = FactsOf(node).FindInput(InputRole::kBias);
  const bool sound = own && Operand(node, *own) != kNoValue
                         ? TakeOwnBias(view, node, *own, site)
                         : TakeAddedBias(view, site);
  return sound ? std::optional(site) : std::nullopt;
}

std::optional<RepairSite> BatchNormOutput(const GraphView& view,
                                          const Node& node) {
  if (!HasStatistics(node) || !view.Known(node.outputs[0]) ||
      !view.flow.DependsOnInputs(node.inputs[0])) {
    return std::nullopt;
  }
  const auto scale =
      OwnWeight(view.graph, view.flow, view.inference, node.inputs[1], 0);
  const auto bias =
      OwnWeight(view.graph, view.flow, view.inference, node.inputs[2], 0);
  if (!scale || !bias) return std::nullopt;
  RepairSite site;
  site.value = node.outputs[0];
  site.channel_axis = 1;
  site.channels = view.ShapeOf(site.value)[1];
  site.scaled = {*scale, *bias};
  site.shifted = *bias;
  return site;
}

const Node* OnlyBatchNorm(const GraphView& view, ValueId value) {
  if (view.flow.Uses(value) != 1) return nullptr;
  const auto& users = view.flow.Users(value);
  const bool is_norm = !users.empty() && users[0]->inputs[0] == value &&
                       BatchNormOutput(view, *users[0]).has_value();
  return is_norm ? users[0] : nullptr;
}

}  // namespace rebasin
