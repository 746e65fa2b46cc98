#include "onnx/sequences.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace rebasin {
namespace {

// Limits of the items of one sequence and of all sequences, since each
// insertion copies all items.
constexpr size_t kMaxItems = 4096;
constexpr int64_t kMaxItemsInAll = int64_t{1} << 22;

// The elements as integers; nothing if one is far out of range.
std::optional<std::vector<int64_t>> WholeNumbers(const Array& array) {
  constexpr double kFar = 0x1p40;
  std::vector<int64_t> numbers;
  for (const double value : array.values()) {
    if (!(value > -kFar && value < kFar)) return std::nullopt;
    numbers.push_back(static_cast<int64_t>(value));
  }
  return numbers;
}

}  // namespace

bool IsSequenceOperator(std::string_view op) {
  return op.starts_with("Sequence") || op == "SplitToSequence" ||
         op == "ConcatFromSequence";
}

bool Sequences::Resolve(const Node& node) {
  if (!IsSequenceOperator(node.op) || node.outputs.size() != 1 ||
      node.outputs[0] == kNoValue) {
    return false;
  }
  if (node.op == "SequenceEmpty") return Make(node, {});
  if (node.op == "SequenceConstruct") return Construct(node);
  if (node.op == "SplitToSequence") return Split(node);
  if (node.op == "SequenceInsert") return Insert(node);
  if (node.op == "SequenceErase") return Erase(node);
  if (node.op == "SequenceAt") return At(node);
  if (node.op == "SequenceLength") return Length(node);
  if (node.op == "ConcatFromSequence") return ConcatItems(node);
  return false;
}

void Sequences::Alias(ValueId from, ValueId to) {
  sequences_[to] = sequences_.at(from);
  Node node;
  node.op = "Identity";
  node.inputs = {from};
  node.outputs = {to};
  makers_.push_back(std::move(node));
}

std::vector<Node> Sequences::NodesStillNeeded() const {
  std::set<ValueId> used(parts_.outputs.begin(), parts_.outputs.end());
  for (const Node& node : parts_.nodes) {
    used.insert(node.inputs.begin(), node.inputs.end());
  }
  std::vector<Node> needed;
  for (auto maker = makers_.rbegin(); maker != makers_.rend(); ++maker) {
    if (!used.contains(maker->outputs[0])) continue;
    used.insert(maker->inputs.begin(), maker->inputs.end());
    needed.push_back(*maker);
  }
  return needed;
}

bool Sequences::Make(const Node& node, Sequence sequence) {
  items_ += static_cast<int64_t>(sequence.items.size());
  if (sequence.items.size() > kMaxItems || items_ > kMaxItemsInAll) {
    return false;
  }
  sequences_[node.outputs[0]] = std::move(sequence);
  makers_.push_back(node);
  return true;
}

bool Sequences::Construct(const Node& node) {
  const bool whole =
      std::count(node.inputs.begin(), node.inputs.end(), kNoValue) == 0;
  return whole && Make(node, {.items = node.inputs});
}

// Inputs: the tensor, and the sizes of the parts or one size for all.
bool Sequences::Split(const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue) return false;
  const ValueId x = node.inputs[0];
  const bool stated = node.inputs.size() > 1 && node.inputs[1] != kNoValue;
  const Array* split = stated ? known_value_(node.inputs[1]).array : nullptr;
  if (stated && (split == nullptr || split->size() > int64_t{kMaxItems})) {
    return false;
  }
  const auto stated_sizes = stated ? WholeNumbers(*split) : std::nullopt;
  if (stated && !stated_sizes) return false;
  if (stated && split->shape.size() == 1) {
    return SplitBySizes(node, *stated_sizes);
  }
  if (stated && stated_sizes->size() != 1) return false;
  const int64_t axis = Attribute(node, "axis", 0);
  const int64_t step = stated ? (*stated_sizes)[0] : 1;
  if (step < 1) return false;
  const Shape* shape = known_value_(x).shape;
  const auto rank = shape ? static_cast<int64_t>(shape->size()) : 0;
  if (shape == nullptr || axis < -rank || axis >= rank) {
    return Make(node, {.whole = x,
                       .axis = axis,
                       .step = step,
                       .squeeze = !stated && !Attribute(node, "keepdims", 1)});
  }
  const int64_t size = (*shape)[axis < 0 ? axis + rank : axis];
  if (size / step > static_cast<int64_t>(kMaxItems)) return false;
  std::vector<int64_t> sizes(size / step, step);
  if (size % step != 0) sizes.push_back(size % step);
  return SplitBySizes(node, sizes);
}

bool Sequences::SplitBySizes(const Node& node,
                             const std::vector<int64_t>& sizes) {
  if (sizes.empty() || sizes.size() > kMaxItems) return false;
  const bool stated = node.inputs.size() > 1 && node.inputs[1] != kNoValue;
  const bool squeeze = !stated && Attribute(node, "keepdims", 1) == 0;
  const int64_t axis = Attribute(node, "axis", 0);
  Node split;
  split.op = "Split";
  split.name = node.name;
  split.inputs = {node.inputs[0], Ints(sizes)};
  split.attributes.emplace("axis", axis);
  for (size_t i = 0; i < sizes.size(); ++i) {
    split.outputs.push_back(parts_.AddComputed(node.name + "/part"));
  }
  Sequence sequence{.items = split.outputs};
  push_(std::move(split));
  if (squeeze) {
    for (ValueId& item : sequence.items) {
      item = Add(node, "Squeeze", {item, Ints({axis})});
    }
  }
  return Make(node, std::move(sequence));
}

bool Sequences::Insert(const Node& node) {
  const Sequence* sequence = Find(node);
  if (sequence == nullptr || node.inputs.size() < 2 ||
      node.inputs[1] == kNoValue || sequence->whole != kNoValue) {
    return false;
  }
  const auto size = static_cast<int64_t>(sequence->items.size());
  const bool stated = node.inputs.size() > 2 && node.inputs[2] != kNoValue;
  auto at = stated ? Int(node, 2) : size;
  if (at && *at < 0) *at += size;
  if (!at || *at < 0 || *at > size || size >= int64_t{kMaxItems}) return false;
  Sequence longer = *sequence;
  longer.items.insert(longer.items.begin() + *at, node.inputs[1]);
  return Make(node, std::move(longer));
}

bool Sequences::Erase(const Node& node) {
  const Sequence* sequence = Find(node);
  if (sequence == nullptr || sequence->items.empty()) return false;
  const auto size = static_cast<int64_t>(sequence->items.size());
  const bool stated = node.inputs.size() > 1 && node.inputs[1] != kNoValue;
  auto at = stated ? Int(node, 1) : size - 1;
  if (at && *at < 0) *at += size;
  if (!at || *at < 0 || *at >= size) return false;
  Sequence shorter = *sequence;
  shorter.items.erase(shorter.items.begin() + *at);
  return Make(node, std::move(shorter));
}

bool Sequences::At(const Node& node) {
  const Sequence* sequence = Find(node);
  auto index = Int(node, 1);
  if (sequence == nullptr || !index) return false;
  if (sequence->whole != kNoValue) return PartAt(node, *sequence, *index);
  const auto size = static_cast<int64_t>(sequence->items.size());
  if (*index < 0) *index += size;
  if (*index < 0 || *index >= size) return false;
  PushNode(node, "Identity", {sequence->items[*index]}, node.outputs[0]);
  return true;
}

// The number of parts is unknown. The position of a part is still known, unless
// it is counted from the end, where a part may be shorter.
bool Sequences::PartAt(const Node& node, const Sequence& sequence,
                       int64_t index) {
  constexpr int64_t kFar = int64_t{1} << 40;
  if (index < 0 && sequence.step != 1) return false;
  if (std::abs(index) > kFar || sequence.step > kFar) return false;
  const int64_t begin = index * sequence.step;
  const int64_t end =
      index == -1 ? std::numeric_limits<int64_t>::max() : begin + sequence.step;
  const std::vector<ValueId> range = {sequence.whole, Ints({begin}),
                                      Ints({end}), Ints({sequence.axis})};
  if (!sequence.squeeze) {
    PushNode(node, "Slice", range, node.outputs[0]);
    return true;
  }
  const ValueId part = Add(node, "Slice", range);
  PushNode(node, "Squeeze", {part, Ints({sequence.axis})}, node.outputs[0]);
  return true;
}

bool Sequences::Length(const Node& node) {
  const Sequence* sequence = Find(node);
  if (sequence == nullptr) return false;
  if (sequence->whole == kNoValue) {
    const ValueId length = parts_.AddConstant(MakeArray(
        Kind::kInteger, {}, {static_cast<double>(sequence->items.size())}));
    PushNode(node, "Identity", {length}, node.outputs[0]);
    return true;
  }
  if (sequence->step != 1) return false;
  const ValueId shape = Add(node, "Shape", {sequence->whole});
  const ValueId axis = parts_.AddConstant(
      MakeArray(Kind::kInteger, {}, {static_cast<double>(sequence->axis)}));
  PushNode(node, "Gather", {shape, axis}, node.outputs[0]);
  return true;
}

bool Sequences::ConcatItems(const Node& node) {
  const Sequence* sequence = Find(node);
  const int64_t axis = Attribute(node, "axis", 0);
  const bool stack = Attribute(node, "new_axis", 0) != 0;
  if (sequence == nullptr) return false;
  if (sequence->whole != kNoValue) {
    // Concatenating the parts gives the tensor again.
    if (axis != sequence->axis || stack != sequence->squeeze) return false;
    PushNode(node, "Identity", {sequence->whole}, node.outputs[0]);
    return true;
  }
  std::vector<ValueId> items = sequence->items;
  if (items.empty()) return false;
  if (stack) {
    for (ValueId& item : items) {
      item = Add(node, "Unsqueeze", {item, Ints({axis})});
    }
  }
  PushNode(node, "Concat", std::move(items), node.outputs[0], {{"axis", axis}});
  return true;
}

const Sequences::Sequence* Sequences::Find(const Node& node) const {
  if (node.inputs.empty()) return nullptr;
  const auto found = sequences_.find(node.inputs[0]);
  return found == sequences_.end() ? nullptr : &found->second;
}

std::optional<int64_t> Sequences::Int(const Node& node, size_t input) const {
  if (input >= node.inputs.size() || node.inputs[input] == kNoValue) {
    return std::nullopt;
  }
  const Array* array = known_value_(node.inputs[input]).array;
  if (array == nullptr || array->size() != 1) return std::nullopt;
  const auto numbers = WholeNumbers(*array);
  return numbers ? std::optional((*numbers)[0]) : std::nullopt;
}

int64_t Sequences::Attribute(const Node& node, std::string_view name,
                             int64_t otherwise) const {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const auto* number = std::get_if<int64_t>(&found->second);
  return number ? *number : otherwise;
}

ValueId Sequences::Add(const Node& origin, const char* op,
                       std::vector<ValueId> inputs, Attributes attributes) {
  const ValueId id = parts_.AddComputed(origin.name + "/" + op);
  PushNode(origin, op, std::move(inputs), id, std::move(attributes));
  return id;
}

void Sequences::PushNode(const Node& origin, const char* op,
                         std::vector<ValueId> inputs, ValueId output,
                         Attributes attributes) {
  Node node;
  node.op = op;
  node.name = origin.name;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  node.attributes = std::move(attributes);
  push_(std::move(node));
}

ValueId Sequences::Ints(const std::vector<int64_t>& values) {
  return parts_.AddConstant(
      MakeArray(Kind::kInteger, {static_cast<int64_t>(values.size())},
                std::vector<double>(values.begin(), values.end())));
}

}  // namespace rebasin
