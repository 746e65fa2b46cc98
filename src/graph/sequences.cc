#include "graph/sequences.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "graph/apply.h"
#include "graph/operator.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Limit of the items of a sequence, since each insertion copies all of them.
constexpr size_t kMaxItems = 4096;

// Limit of the elements of all items together: 1 GiB.
constexpr int64_t kMaxElements = int64_t{1} << 27;

using Inputs = std::vector<const Array*>;
using Items = std::vector<Array>;

Error Bad(const Node& node, const std::string& what) {
  return Error(ErrorCode::kBadInput, NodeText(node) + ": " + what);
}

Array Sequence(const Node& node, Items items) {
  int64_t elements = 0;
  for (const Array& item : items) elements += item.size();
  if (items.size() > kMaxItems || elements > kMaxElements) {
    throw Error(ErrorCode::kUnsupported,
                "cannot run the graph: " + NodeText(node) +
                    " makes a sequence that is too long");
  }
  Array array;
  array.items = std::make_shared<const Items>(std::move(items));
  return array;
}

const Array* InputAt(const Inputs& inputs, size_t input) {
  return input < inputs.size() ? inputs[input] : nullptr;
}

const Items& ItemsOf(const Node& node, const Inputs& inputs) {
  const Array* array = InputAt(inputs, 0);
  if (array == nullptr || !array->items) {
    throw Bad(node, "its input is not a sequence");
  }
  return *array->items;
}

const Array& TensorAt(const Node& node, const Inputs& inputs, size_t input) {
  const Array* array = InputAt(inputs, input);
  if (array == nullptr || !array->elements) {
    throw Bad(node, "input " + std::to_string(input + 1) + " is not a tensor");
  }
  return *array;
}

int64_t AttributeOf(const Node& node, std::string_view name,
                    int64_t otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const auto* number = std::get_if<int64_t>(&found->second);
  return number != nullptr ? *number : otherwise;
}

// A position in a sequence. Negative positions count from the end; an omitted
// one is the last.
int64_t PositionAt(const Node& node, const Inputs& inputs, size_t input,
                   int64_t positions) {
  if (InputAt(inputs, input) == nullptr) return positions - 1;
  const Array& array = TensorAt(node, inputs, input);
  if (array.size() != 1) throw Bad(node, "its position is not one number");
  const int64_t given = IntsIn(array)[0];
  const int64_t at = given < 0 ? given + positions : given;
  if (at < 0 || at >= positions) {
    throw Bad(node, "position " + std::to_string(given) +
                        " is out of range for " + std::to_string(positions) +
                        " positions");
  }
  return at;
}

Array Apply(const Node& origin, const char* op, Attributes attributes,
            const Inputs& inputs) {
  const Node node{.op = op,
                  .name = origin.name,
                  .inputs = std::vector<ValueId>(inputs.size(), 0),
                  .outputs = {0},
                  .attributes = std::move(attributes)};
  return ApplyOperator(*FindOperator(op), node, inputs)[0];
}

Array Ints(const std::vector<int64_t>& values) {
  return MakeArray(Kind::kInteger, {static_cast<int64_t>(values.size())},
                   std::vector<double>(values.begin(), values.end()));
}

Array Empty(const Node& node, const Inputs&) { return Sequence(node, {}); }

Array Construct(const Node& node, const Inputs& inputs) {
  Items items;
  for (size_t i = 0; i < inputs.size(); ++i) {
    items.push_back(TensorAt(node, inputs, i));
  }
  return Sequence(node, std::move(items));
}

// An item may also be inserted after the last one.
Array Insert(const Node& node, const Inputs& inputs) {
  Items items = ItemsOf(node, inputs);
  const auto size = static_cast<int64_t>(items.size());
  const Array* given = InputAt(inputs, 2);
  int64_t at = size;
  if (given != nullptr && TensorAt(node, inputs, 2).size() == 1 &&
      IntsIn(*given)[0] != size) {
    at = PositionAt(node, inputs, 2, size);
  }
  items.insert(items.begin() + at, TensorAt(node, inputs, 1));
  return Sequence(node, std::move(items));
}

Array Erase(const Node& node, const Inputs& inputs) {
  Items items = ItemsOf(node, inputs);
  const auto size = static_cast<int64_t>(items.size());
  items.erase(items.begin() + PositionAt(node, inputs, 1, size));
  return Sequence(node, std::move(items));
}

Array At(const Node& node, const Inputs& inputs) {
  const Items& items = ItemsOf(node, inputs);
  TensorAt(node, inputs, 1);
  return items[PositionAt(node, inputs, 1, static_cast<int64_t>(items.size()))];
}

Array Length(const Node& node, const Inputs& inputs) {
  const auto size = static_cast<double>(ItemsOf(node, inputs).size());
  return MakeArray(Kind::kInteger, {}, {size});
}

Array Unsqueezed(const Node& node, const Array& item, int64_t axis) {
  const Array axes = Ints({axis});
  return Apply(node, "Unsqueeze", {}, {&item, &axes});
}

Array ConcatItems(const Node& node, const Inputs& inputs) {
  Items items = ItemsOf(node, inputs);
  if (items.empty()) throw Bad(node, "its sequence is empty");
  const int64_t axis = AttributeOf(node, "axis", 0);
  if (AttributeOf(node, "new_axis", 0) != 0) {
    for (Array& item : items) item = Unsqueezed(node, item, axis);
  }
  Inputs parts;
  for (const Array& item : items) parts.push_back(&item);
  return Apply(node, "Concat", {{"axis", axis}}, parts);
}

// The sizes of the parts: one number for all parts (the last may be smaller), a
// list of sizes, or 1 if omitted.
std::vector<int64_t> PartSizes(const Node& node, const Inputs& inputs,
                               int64_t size) {
  const bool stated = InputAt(inputs, 1) != nullptr;
  if (stated && TensorAt(node, inputs, 1).shape.size() == 1) {
    return IntsIn(*inputs[1]);
  }
  const int64_t step = stated ? IntsIn(TensorAt(node, inputs, 1))[0] : 1;
  if (step < 1) throw Bad(node, "the size of its parts is not positive");
  std::vector<int64_t> sizes;
  for (int64_t left = size; left > 0 && sizes.size() <= kMaxItems;
       left -= step) {
    sizes.push_back(std::min(left, step));
  }
  return sizes;
}

Array Part(const Node& node, const Array& x, int64_t axis, int64_t begin,
           int64_t size) {
  const Array starts = Ints({begin}), ends = Ints({begin + size});
  const Array axes = Ints({axis});
  const Array part = Apply(node, "Slice", {}, {&x, &starts, &ends, &axes});
  if (part.shape[axis] != size) {
    throw Bad(node, "its parts do not fit " + ShapeText(x.shape));
  }
  return part;
}

Array Split(const Node& node, const Inputs& inputs) {
  const Array& x = TensorAt(node, inputs, 0);
  const auto axis =
      AxisIn(KnownType(x.kind, x.shape), AttributeOf(node, "axis", 0));
  if (!axis) throw Bad(node, "its axis is not in " + ShapeText(x.shape));
  const auto along = static_cast<int64_t>(*axis);
  const bool squeeze =
      InputAt(inputs, 1) == nullptr && AttributeOf(node, "keepdims", 1) == 0;
  const Array axes = Ints({along});
  Items items;
  int64_t begin = 0;
  for (int64_t size : PartSizes(node, inputs, x.shape[*axis])) {
    if (size < 0 || size > x.shape[*axis] - begin) {
      throw Bad(node, "its parts do not fit " + ShapeText(x.shape));
    }
    items.push_back(Part(node, x, along, begin, size));
    if (squeeze) {
      items.back() = Apply(node, "Squeeze", {}, {&items.back(), &axes});
    }
    if (items.size() > kMaxItems) break;
    begin += size;
  }
  return Sequence(node, std::move(items));
}

Array Same(const Node&, const Inputs& inputs) { return *inputs[0]; }

using Function = Array (*)(const Node&, const Inputs&);

// Null for operators on tensors.
Function FindFunction(std::string_view op) {
  static const std::map<std::string_view, Function> kFunctions = {
      {"SequenceEmpty", Empty},   {"SequenceConstruct", Construct},
      {"SequenceInsert", Insert}, {"SequenceErase", Erase},
      {"SequenceAt", At},         {"SequenceLength", Length},
      {"SplitToSequence", Split}, {"ConcatFromSequence", ConcatItems}};
  const auto found = kFunctions.find(op);
  return found == kFunctions.end() ? nullptr : found->second;
}

bool IsSequence(const Array* array) {
  return array != nullptr && array->items != nullptr;
}

}  // namespace

bool TakesSequences(const Node& node, const Inputs& inputs) {
  return FindFunction(node.op) != nullptr ||
         std::any_of(inputs.begin(), inputs.end(), IsSequence);
}

Array ApplyToSequences(const Node& node, const Inputs& inputs) {
  if (const Function function = FindFunction(node.op)) {
    return function(node, inputs);
  }
  if (node.op == "Identity" && inputs.size() == 1) return Same(node, inputs);
  throw Bad(node, "it takes tensors, but an input is a sequence");
}

}  // namespace rebasin
