#include "repair/layer_site.h"

#include "repair/operand.h"

namespace rebasin {
namespace {

int64_t IntAttribute(const Node& node, std::string_view name,
                     int64_t otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const int64_t* value = std::get_if<int64_t>(&found->second);
  return value == nullptr ? otherwise : *value;
}

double FloatAttribute(const Node& node, std::string_view name,
                      double otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const double* value = std::get_if<double>(&found->second);
  return value == nullptr ? otherwise : *value;
}

ValueId Operand(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : kNoValue;
}

// Where the channels of a layer's value come from.
struct Channels {
  size_t operand = 1;        // of the node: the weight
  int64_t operand_axis = 0;  // of that operand
  int64_t value_axis = 1;    // of the node's output
};

std::optional<Channels> MatMulChannels(const GraphView& view,
                                       const Node& node) {
  const auto rank = [&](size_t input) {
    return static_cast<int64_t>(view.ShapeOf(node.inputs[input]).size());
  };
  if (!view.Known(node.inputs[0]) || !view.Known(node.inputs[1])) {
    return std::nullopt;
  }
  const auto value_rank =
      static_cast<int64_t>(view.ShapeOf(node.outputs[0]).size());
  const bool right = view.flow.FromWeightsOnly(node.inputs[1]);
  // A vector has no channels: the product sums over its only axis.
  if (rank(right ? 1 : 0) < 2) return std::nullopt;
  if (right) return Channels{1, rank(1) - 1, value_rank - 1};
  // W x: the rows of W. They are the last axis if x is a vector.
  return Channels{0, rank(0) - 2, value_rank - (rank(1) < 2 ? 1 : 2)};
}

std::optional<Channels> ChannelsOf(const GraphView& view, const Node& node) {
  if (node.op == "MatMul") return MatMulChannels(view, node);
  if (!view.flow.FromWeightsOnly(node.inputs[1])) return std::nullopt;
  if (node.op == "Conv") return Channels{1, 0, 1};
  if (node.op == "Gemm") {
    return Channels{1, IntAttribute(node, "transB", 0) != 0 ? 0 : 1, 1};
  }
  // In groups the channels are the pairs (group, axis 1), and the group is
  // part of axis 0.
  const bool plain = IntAttribute(node, "group", 1) == 1;
  if (node.op == "ConvTranspose" && plain) return Channels{1, 1, 1};
  return std::nullopt;
}

// The weight behind `operand`, if it is one number a channel of the site.
std::optional<WeightAxis> BiasWeight(const GraphView& view,
                                     const RepairSite& site, ValueId operand,
                                     int64_t rank) {
  if (!view.Known(operand)) return std::nullopt;
  const auto axis = BroadcastAxis(view.ShapeOf(operand), rank,
                                  site.channel_axis, site.channels);
  if (!axis) return std::nullopt;
  return OwnWeight(view.graph, view.flow, view.inference, operand, *axis);
}

// The third operand of Conv, ConvTranspose and Gemm. False if it is there but
// not the layer's own: then the value cannot be scaled either.
bool TakeOwnBias(const GraphView& view, const Node& node, RepairSite& site) {
  // A convolution's bias stands for the channels alone.
  const bool vector = node.op != "Gemm";
  RepairSite seen = site;
  if (vector) seen.channel_axis = 0;
  const auto bias = BiasWeight(view, seen, node.inputs[2], vector ? 1 : 2);
  if (!bias) return false;
  site.scaled.push_back(*bias);
  // Gemm may scale its bias once more, by a number that could be zero.
  if (FloatAttribute(node, "beta", 1) == 1) site.shifted = *bias;
  return true;
}

// An Add that follows. False if there is one, but the value goes elsewhere,
// too, where it is to stay as it is.
bool TakeAddedBias(const GraphView& view, RepairSite& site) {
  const auto rank = static_cast<int64_t>(view.ShapeOf(site.value).size());
  for (const Node* user : view.flow.Users(site.value)) {
    if (user->op != "Add") continue;
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
  const bool has_own = Operand(node, 2) != kNoValue;
  const bool sound =
      has_own ? TakeOwnBias(view, node, site) : TakeAddedBias(view, site);
  return sound ? std::optional(site) : std::nullopt;
}

std::optional<RepairSite> BatchNormOutput(const GraphView& view,
                                          const Node& node) {
  if (node.op != "BatchNormalization" || !view.Known(node.outputs[0]) ||
      !view.flow.FromInputs(node.inputs[0])) {
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

}  // namespace rebasin
