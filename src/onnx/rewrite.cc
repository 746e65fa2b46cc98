#include "onnx/rewrite.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "graph/operator.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// An attribute of `op` that became input number `input` in opset `since`. A
// single number becomes a scalar, or with `vector` a vector of one element.
struct MovedAttribute {
  std::string_view op;
  std::string_view attribute;
  size_t input;
  int64_t since;
  bool vector = false;
};

constexpr MovedAttribute kMovedAttributes[] = {
    {"Squeeze", "axes", 1, 13},
    {"Unsqueeze", "axes", 1, 13},
    {"ReduceSum", "axes", 1, 13},
    {"ReduceMean", "axes", 1, 18},
    {"ReduceMax", "axes", 1, 18},
    {"ReduceMin", "axes", 1, 18},
    {"ReduceProd", "axes", 1, 18},
    {"ReduceL1", "axes", 1, 18},
    {"ReduceL2", "axes", 1, 18},
    {"ReduceLogSum", "axes", 1, 18},
    {"ReduceLogSumExp", "axes", 1, 18},
    {"ReduceSumSquare", "axes", 1, 18},
    {"Split", "split", 1, 13},
    {"Slice", "starts", 1, 10},
    {"Slice", "ends", 2, 10},
    {"Slice", "axes", 3, 10},
    {"Pad", "pads", 1, 11},
    {"Pad", "value", 2, 11},
    {"Clip", "min", 1, 11},
    {"Clip", "max", 2, 11},
    {"Dropout", "ratio", 1, 12},
    {"TopK", "k", 1, 10, true},
    {"Upsample", "scales", 1, 9},
};

template <typename T>
Array NumbersArray(Kind kind, const std::vector<T>& list) {
  return MakeArray(kind, {static_cast<int64_t>(list.size())},
                   std::vector<double>(list.begin(), list.end()));
}

Array NumberArray(Kind kind, double number, bool vector) {
  return MakeArray(kind, vector ? Shape{1} : Shape{}, {number});
}

// An empty array for strings, which none of these attributes may be.
Array AsInput(const Attribute& attribute, bool vector) {
  if (const auto* number = std::get_if<int64_t>(&attribute)) {
    return NumberArray(Kind::kInteger, static_cast<double>(*number), vector);
  }
  if (const auto* number = std::get_if<double>(&attribute)) {
    return NumberArray(Kind::kFloat, *number, vector);
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    return NumbersArray(Kind::kInteger, *list);
  }
  if (const auto* list = std::get_if<std::vector<double>>(&attribute)) {
    return NumbersArray(Kind::kFloat, *list);
  }
  return {};
}

void SetInput(Node& node, size_t input, ValueId value) {
  if (node.inputs.size() <= input) node.inputs.resize(input + 1, kNoValue);
  node.inputs[input] = value;
}

void MoveAttribute(const MovedAttribute& row, Node& node, GraphParts& parts) {
  const auto found = node.attributes.find(row.attribute);
  if (found == node.attributes.end()) return;
  Array array = AsInput(found->second, row.vector);
  if (!array.elements) return;
  SetInput(node, row.input, parts.AddConstant(std::move(array)));
  node.attributes.erase(found);
}

void SetString(Node& node, const char* name, std::string value) {
  node.attributes[name].emplace<std::string>(std::move(value));
}

// Scatter is the old name of ScatterElements.
void RenameScatter(Node& node, GraphParts&) { node.op = "ScatterElements"; }

// Upsample and the first version of Resize had the scales as second input, and
// only one coordinate mode.
void ResizeFromScales(Node& node, GraphParts&) {
  node.op = "Resize";
  if (node.inputs.size() >= 2) {
    node.inputs = {node.inputs[0], kNoValue, node.inputs[1]};
  }
  SetString(node, "coordinate_transformation_mode", "asymmetric");
  SetString(node, "nearest_mode", "floor");
  const auto found = node.attributes.find("mode");
  if (found == node.attributes.end()) return;
  auto* mode = std::get_if<std::string>(&found->second);
  if (mode != nullptr && *mode == "bilinear") *mode = "linear";
}

// Without sizes, the number of outputs was the number of parts.
void CountSplitOutputs(Node& node, GraphParts&) {
  const bool sizes = node.inputs.size() > 1 && node.inputs[1] != kNoValue;
  if (sizes || node.attributes.contains("num_outputs")) return;
  node.attributes.emplace("num_outputs",
                          static_cast<int64_t>(node.outputs.size()));
}

// Removes attributes that affect training only, unless the node is in training
// mode.
void DropTrainingAttributes(Node& node, GraphParts&) {
  for (const char* name : {"spatial", "is_test", "momentum"}) {
    node.attributes.erase(name);
  }
  const auto mode = node.attributes.find("training_mode");
  if (mode == node.attributes.end()) return;
  const auto* on = std::get_if<int64_t>(&mode->second);
  if (on == nullptr || *on == 0) node.attributes.erase(mode);
}

bool IsInTrainingMode(const Node& node, const GraphParts& parts) {
  if (node.op == "BatchNormalization") {
    return node.attributes.contains("training_mode");
  }
  if (node.op != "Dropout" || node.inputs.size() < 3) return false;
  const ValueId mode = node.inputs[2];
  if (mode == kNoValue) return false;
  const Array& known = parts.values[mode].constant;
  return !known.elements || known.size() == 0 || known.values()[0] != 0;
}

// Before, boxes were not shifted by half a pixel.
void AlignToPixels(Node& node, GraphParts&) {
  SetString(node, "coordinate_transformation_mode", "output_half_pixel");
}

struct Rewrite {
  std::string_view op;
  int64_t before;  // applies to opsets before this
  void (*apply)(Node&, GraphParts&);
};

constexpr int64_t kAlways = INT64_MAX;

constexpr Rewrite kRewrites[] = {
    {"Scatter", kAlways, RenameScatter},
    {"Upsample", kAlways, ResizeFromScales},
    {"Resize", 11, ResizeFromScales},
    {"Split", 18, CountSplitOutputs},
    {"BatchNormalization", kAlways, DropTrainingAttributes},
    {"RoiAlign", 16, AlignToPixels},
};

}  // namespace

void RewriteNode(Node& node, int64_t opset, GraphParts& parts) {
  for (const MovedAttribute& row : kMovedAttributes) {
    if (row.op == node.op && opset < row.since) MoveAttribute(row, node, parts);
  }
  for (const Rewrite& row : kRewrites) {
    if (row.op != node.op || opset >= row.before) continue;
    return row.apply(node, parts);
  }
}

void RefuseTrainingMode(const GraphParts& parts) {
  for (const Node& node : parts.nodes) {
    if (!IsInTrainingMode(node, parts)) continue;
    throw Error(ErrorCode::kUnsupported,
                NodeText(node) +
                    " is in training mode: its output depends on the other "
                    "examples of the batch, or on chance",
                "export the model in evaluation mode (model.eval())");
  }
}

}  // namespace rebasin
