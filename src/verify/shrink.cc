#include "verify/shrink.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "base/checked.h"
#include "discovery/knowledge.h"
#include "discovery/traces.h"
#include "graph/operator.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Three to five units are enough to make a permutation visible. Different sizes
// keep unrelated axes apart.
int64_t SmallSize(int64_t size) { return size <= 4 ? size : 3 + size % 3; }

// Thrown if the graph cannot be made smaller. Does not leave this file.
struct CannotShrink {};

// Shrinks one trace of a graph.
class Shrinker {
 public:
  Shrinker(Knowledge& knowledge, const Inference& inference, size_t trace)
      : knowledge_(knowledge),
        graph_(knowledge.graph()),
        inference_(inference),
        trace_(trace),
        values_(graph_.values()),
        predicted_(values_.size()) {}

  Graph Run() {
    for (ValueId id = 0; id < Count(graph_.values()); ++id) ShrinkValue(id);
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      if (!IsFolded(graph_.nodes()[n])) AddNode(graph_.nodes()[n]);
    }
    return Graph(std::move(values_), std::move(nodes_), graph_.outputs());
  }

  // Whether the inferred shapes are those that the axes predict.
  bool Agrees(const Inference& found) const {
    for (size_t id = 0; id < predicted_.size(); ++id) {
      if (!predicted_[id] || graph_.values()[id].role != Role::kComputed) {
        continue;
      }
      const ValueType& type = found.types[id];
      if (!type.known || type.shape != *predicted_[id]) return false;
    }
    return true;
  }

  const Shape& shape(ValueId id) const {
    if (id == kNoValue || !predicted_[id]) throw CannotShrink();
    return *predicted_[id];
  }
  const Inference& inference() const { return inference_; }
  ValueId Ints(const std::vector<int64_t>& list) {
    return AddInts({static_cast<int64_t>(list.size())}, list);
  }
  ValueId AddInts(const Shape& shape, const std::vector<int64_t>& list) {
    std::vector<double> numbers(list.begin(), list.end());
    Value& value = values_.emplace_back();
    MakeConstant(value, MakeArray(Kind::kInteger, shape, std::move(numbers)));
    return static_cast<ValueId>(values_.size() - 1);
  }

  // The number of kept indices before `position`.
  int64_t KeptBefore(ValueId id, size_t axis, int64_t position) {
    const std::vector<int64_t> kept = Kept(id, axis);
    return std::lower_bound(kept.begin(), kept.end(), position) - kept.begin();
  }
  // The new position of an old index.
  int64_t NewIndex(ValueId id, size_t axis, int64_t index) {
    const std::vector<int64_t> kept = Kept(id, axis);
    const auto found = std::lower_bound(kept.begin(), kept.end(), index);
    if (found == kept.end() || *found != index) throw CannotShrink();
    return found - kept.begin();
  }
  // The new size of the leading factors of an axis, whose old size is `size`.
  int64_t NewLeadingSize(ValueId id, size_t axis, int64_t size) {
    const Expression expression = Pieces(id, axis);
    if (expression.size() != 1) throw CannotShrink();
    int64_t before = 1, now = 1;
    for (AtomId atom : expression[0]) {
      if (before == size) break;
      before *= algebra().size(atom);
      now *= NewSize(atom);
    }
    if (before != size) throw CannotShrink();
    return now;
  }

 private:
  template <typename List>
  static ValueId Count(const List& list) {
    return static_cast<ValueId>(list.size());
  }
  AxisAlgebra& algebra() { return knowledge_.algebra(); }
  int64_t NewSize(AtomId atom) {
    const int64_t size = algebra().size(atom);
    return algebra().IsFixed(atom) ? size : SmallSize(size);
  }
  Expression Pieces(ValueId id, size_t axis) {
    if (!knowledge_.HasAxes(id, trace_)) throw CannotShrink();
    return algebra().Explode(knowledge_.axes(id, trace_)[axis]);
  }

  // The indices of an axis that are kept, in order.
  std::vector<int64_t> Kept(ValueId id, size_t axis) {
    return KeptIn(Pieces(id, axis));
  }

  std::vector<int64_t> KeptIn(const Expression& expression) {
    std::vector<int64_t> kept;
    int64_t begin = 0;
    for (const Product& product : expression) {
      std::vector<int64_t> here = {0};
      for (size_t f = 0; f < product.size(); ++f) {
        const bool sum =
            f + 1 == product.size() && algebra().EndsInSum(product);
        const std::vector<int64_t> inner =
            sum ? KeptIn(algebra().LastSum(product)) : KeptOf(product[f]);
        here = Nested(here, algebra().size(product[f]), inner);
      }
      for (int64_t index : here) kept.push_back(begin + index);
      begin += algebra().SizeOf(product);
    }
    return kept;
  }

  std::vector<int64_t> KeptOf(AtomId atom) {
    std::vector<int64_t> kept(NewSize(atom));
    std::iota(kept.begin(), kept.end(), 0);
    return kept;
  }

  static std::vector<int64_t> Nested(const std::vector<int64_t>& outer,
                                     int64_t size,
                                     const std::vector<int64_t>& inner) {
    std::vector<int64_t> indices;
    for (int64_t index : outer) {
      for (int64_t i : inner) indices.push_back(index * size + i);
    }
    return indices;
  }

  int64_t NewSize(const Expression& expression) {
    int64_t size = 0;
    for (const Product& product : algebra().Multiplied(expression)) {
      int64_t piece = 1;
      for (AtomId atom : product) piece *= NewSize(atom);
      size += piece;
    }
    return size;
  }

  Shape PredictShape(ValueId id) {
    Shape shape;
    for (const Expression& axis : knowledge_.axes(id, trace_)) {
      shape.push_back(NewSize(algebra().Explode(axis)));
    }
    return shape;
  }

  void ShrinkValue(ValueId id) {
    Value& value = values_[id];
    const auto& constant = inference_.constants[id];
    if (value.role == Role::kInput) value.shape = inference_.types[id].shape;
    if (!knowledge_.HasAxes(id, trace_)) {
      // Values without axes are empty, or known and unused.
      if (value.role == Role::kComputed && constant) {
        MakeConstant(value, *constant);
      }
      return;
    }
    predicted_[id] = PredictShape(id);
    if (constant) {
      MakeConstant(value, ShrinkArray(id, *constant));
    } else if (value.role == Role::kWeight) {
      value.shape = *predicted_[id];
    }
  }

  static void MakeConstant(Value& value, Array array) {
    value.role = Role::kConstant;
    value.kind = array.kind;
    value.shape = array.shape;
    value.constant = std::move(array);
  }

  Array ShrinkArray(ValueId id, const Array& array) {
    Array result = array;
    for (size_t k = 0; k < array.shape.size(); ++k) {
      if ((*predicted_[id])[k] == array.shape[k]) continue;
      result = TakeIndices(result, k, Kept(id, k));
    }
    return result;
  }

  static Array TakeIndices(const Array& array, size_t axis,
                           const std::vector<int64_t>& indices) {
    int64_t inner = 1;
    for (size_t k = axis + 1; k < array.shape.size(); ++k) {
      inner *= array.shape[k];
    }
    const int64_t row = inner * array.shape[axis];
    std::vector<double> taken;
    for (int64_t at = 0; at < array.size(); at += row) {
      for (int64_t index : indices) {
        const auto from = array.values().begin() + at + index * inner;
        taken.insert(taken.end(), from, from + inner);
      }
    }
    Shape shape = array.shape;
    shape[axis] = static_cast<int64_t>(indices.size());
    return MakeArray(array.kind, std::move(shape), std::move(taken));
  }

  bool IsFolded(const Node& node) const {
    return std::all_of(
        node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id == kNoValue || inference_.constants[id].has_value();
        });
  }

  void AddNode(const Node& node);

  Knowledge& knowledge_;
  const Graph& graph_;
  const Inference& inference_;
  size_t trace_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<std::optional<Shape>> predicted_;  // by value
};

// Replaces the sizes that a node states.
using Rewrite = void (*)(Shrinker&, Node&);

std::vector<int64_t> ListOf(const Shrinker& shrinker, ValueId id) {
  if (id == kNoValue) throw CannotShrink();
  const auto& known = shrinker.inference().constants[id];
  if (!known) throw CannotShrink();
  // Exporters write the largest integer for "to the end".
  constexpr double kFar = 1e15;
  std::vector<int64_t> list;
  for (double number : known->values()) {
    list.push_back(static_cast<int64_t>(std::clamp(number, -kFar, kFar)));
  }
  return list;
}

bool HasInput(const Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNoValue;
}

void RewriteShape(Shrinker& shrinker, Node& node) {
  node.inputs[1] = shrinker.Ints(shrinker.shape(node.outputs[0]));
  node.attributes.erase("allowzero");
}

// The axes that a Slice or Pad names, or all axes in order.
std::vector<int64_t> AxesNamed(const Shrinker& shrinker, const Node& node,
                               size_t input, size_t count) {
  std::vector<int64_t> axes(count);
  for (size_t i = 0; i < count; ++i) axes[i] = static_cast<int64_t>(i);
  if (HasInput(node, input)) axes = ListOf(shrinker, node.inputs[input]);
  const auto rank = static_cast<int64_t>(shrinker.shape(node.inputs[0]).size());
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  return axes;
}

void RewriteSlice(Shrinker& shrinker, Node& node) {
  const ValueId x = node.inputs[0];
  std::vector<int64_t> starts = ListOf(shrinker, node.inputs[1]);
  std::vector<int64_t> ends = ListOf(shrinker, node.inputs[2]);
  const auto axes = AxesNamed(shrinker, node, 3, starts.size());
  std::vector<int64_t> steps(starts.size(), 1);
  if (HasInput(node, 4)) steps = ListOf(shrinker, node.inputs[4]);
  const Shape& old = shrinker.inference().types[x].shape;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t size = old[axes[i]];
    if (steps[i] != 1) continue;  // the axis is fixed
    for (int64_t* border : {&starts[i], &ends[i]}) {
      const int64_t at = *border < 0 ? *border + size : *border;
      *border =
          shrinker.KeptBefore(x, axes[i], std::clamp<int64_t>(at, 0, size));
    }
  }
  node.inputs[1] = shrinker.Ints(starts);
  node.inputs[2] = shrinker.Ints(ends);
}

void RewriteSplit(Shrinker& shrinker, Node& node) {
  const auto found = node.attributes.find("axis");
  const int64_t given =
      found == node.attributes.end() ? 0 : std::get<int64_t>(found->second);
  const auto rank = static_cast<int64_t>(shrinker.shape(node.inputs[0]).size());
  std::vector<int64_t> sizes;
  for (ValueId out : node.outputs) {
    sizes.push_back(shrinker.shape(out)[given < 0 ? given + rank : given]);
  }
  node.inputs = {node.inputs[0], shrinker.Ints(sizes)};
  node.attributes.erase("num_outputs");
}

// Several indices, or unknown ones, look up along a fixed axis.
void RewriteGather(Shrinker& shrinker, Node& node) {
  const auto& indices = shrinker.inference().constants[node.inputs[1]];
  if (!indices || indices->size() != 1) return;
  const auto found = node.attributes.find("axis");
  int64_t axis =
      found == node.attributes.end() ? 0 : std::get<int64_t>(found->second);
  const Shape& old = shrinker.inference().types[node.inputs[0]].shape;
  axis += axis < 0 ? static_cast<int64_t>(old.size()) : 0;
  int64_t index = static_cast<int64_t>(indices->values()[0]);
  index += index < 0 ? old[axis] : 0;
  const int64_t now =
      shrinker.NewIndex(node.inputs[0], static_cast<size_t>(axis), index);
  node.inputs[1] = shrinker.AddInts(indices->shape, {now});
}

void RewritePad(Shrinker& shrinker, Node& node) {
  std::vector<int64_t> pads = ListOf(shrinker, node.inputs[1]);
  const size_t count = pads.size() / 2;
  const auto axes = AxesNamed(shrinker, node, 3, count);
  const ValueId y = node.outputs[0];
  const Shape& now = shrinker.shape(y);
  const Shape& old = shrinker.inference().types[y].shape;
  for (size_t i = 0; i < count; ++i) {
    if (pads[i] < 0 || pads[i + count] < 0) continue;  // the axis is fixed
    const auto axis = static_cast<size_t>(axes[i]);
    const int64_t end = old[axis] - pads[i + count];
    pads[i] = shrinker.KeptBefore(y, axis, pads[i]);
    pads[i + count] = now[axis] - shrinker.KeptBefore(y, axis, end);
  }
  node.inputs[1] = shrinker.Ints(pads);
}

void RewriteTile(Shrinker& shrinker, Node& node) {
  const Shape& from = shrinker.shape(node.inputs[0]);
  const Shape& to = shrinker.shape(node.outputs[0]);
  std::vector<int64_t> copies;
  for (size_t k = 0; k < to.size(); ++k) copies.push_back(to[k] / from[k]);
  node.inputs[1] = shrinker.Ints(copies);
}

// Axis 1 of the weight holds the channels of one group of `x`.
void RewriteGroups(Shrinker& shrinker, Node& node, ValueId x) {
  const int64_t channels = shrinker.shape(node.inputs[1])[1];
  node.attributes["group"] = shrinker.shape(x)[1] / channels;
}

void RewriteGroupsOfInput(Shrinker& shrinker, Node& node) {
  RewriteGroups(shrinker, node, node.inputs[0]);
}

void RewriteGroupsOfOutput(Shrinker& shrinker, Node& node) {
  RewriteGroups(shrinker, node, node.outputs[0]);
}

void RewriteGroupNorm(Shrinker& shrinker, Node& node) {
  const auto found = node.attributes.find("num_groups");
  if (found == node.attributes.end()) return;
  found->second = shrinker.NewLeadingSize(node.inputs[0], 1,
                                          std::get<int64_t>(found->second));
}

void RewriteRecurrent(Shrinker& shrinker, Node& node) {
  node.attributes["hidden_size"] = shrinker.shape(node.inputs[2])[2];
}

// Replaces the sizes of the output if they are given; scales remain.
void RewriteResize(Shrinker& shrinker, Node& node) {
  if (!HasInput(node, 3)) return;
  if (node.attributes.contains("axes")) throw CannotShrink();
  node.inputs[3] = shrinker.Ints(shrinker.shape(node.outputs[0]));
}

// Null if the node states no sizes.
Rewrite RewriteFor(WrittenSizes written) {
  switch (written) {
    case WrittenSizes::kUnspecified:
    case WrittenSizes::kNone:
      return nullptr;
    case WrittenSizes::kOutputShape:
      return RewriteShape;
    case WrittenSizes::kSliceBorders:
      return RewriteSlice;
    case WrittenSizes::kSplitSizes:
      return RewriteSplit;
    case WrittenSizes::kPickedIndex:
      return RewriteGather;
    case WrittenSizes::kPads:
      return RewritePad;
    case WrittenSizes::kRepeats:
      return RewriteTile;
    case WrittenSizes::kGroupsOfInput:
      return RewriteGroupsOfInput;
    case WrittenSizes::kGroupsOfOutput:
      return RewriteGroupsOfOutput;
    case WrittenSizes::kNormGroups:
      return RewriteGroupNorm;
    case WrittenSizes::kHiddenSize:
      return RewriteRecurrent;
    case WrittenSizes::kResizedShape:
      return RewriteResize;
  }
  return nullptr;
}

void Shrinker::AddNode(const Node& node) {
  nodes_.push_back(node);
  if (const Rewrite rewrite = RewriteFor(FactsOf(node).written)) {
    Node changed = node;
    rewrite(*this, changed);
    nodes_.back() = std::move(changed);
  }
}

// Groups that order lists keep their size, since the shrunk graph has all of
// their tensors.
std::vector<Group> ShrinkGroups(const Symmetry& symmetry) {
  std::set<int> kept;
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    if (tensor.in_list()) kept.insert(tensor.member.group);
  }
  std::vector<Group> groups = symmetry.groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (kept.contains(static_cast<int>(g))) continue;
    groups[g].size = SmallSize(groups[g].size);
  }
  return groups;
}

void ShrinkAxes(const std::vector<Group>& groups, std::vector<Axis>& axes) {
  for (Axis& axis : axes) {
    for (Segment& segment : axis.segments) {
      for (Factor& factor : segment) {
        if (factor.group != kNoGroup) factor.size = groups[factor.group].size;
      }
    }
  }
}

std::optional<SmallGraph> ShrinkTrace(Knowledge& knowledge,
                                      const Traces& traces, size_t trace) {
  try {
    Shrinker shrinker(knowledge, traces.inferences()[trace], trace);
    SmallGraph small{.graph = shrinker.Run(),
                     .input_shapes = traces.shapes()[trace]};
    if (!shrinker.Agrees(Infer(small.graph, small.input_shapes))) {
      return std::nullopt;
    }
    return small;
  } catch (const CannotShrink&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // a size that no rewrite handles
  }
}

}  // namespace

std::vector<SmallGraph> ShrinkGraph(const Graph& graph,
                                    const std::vector<Shape>& usual_shapes) {
  const Traces traces(graph, usual_shapes);
  Knowledge knowledge(graph, traces.inferences(), traces.sizes());
  std::vector<SmallGraph> graphs;
  for (size_t t = 0; t < traces.shapes().size(); ++t) {
    auto small = ShrinkTrace(knowledge, traces, t);
    if (!small) return {};
    graphs.push_back(*std::move(small));
  }
  return graphs;
}

std::optional<Symmetry> ShrinkSymmetry(const Symmetry& symmetry,
                                       const Graph& graph) {
  std::vector<Group> groups = ShrinkGroups(symmetry);
  std::vector<TensorSymmetry> tensors;
  for (TensorSymmetry tensor : symmetry.tensors()) {
    const ValueId id = graph.FindWeight(tensor.name);
    if (id == kNoValue) continue;
    ShrinkAxes(groups, tensor.axes);
    for (std::vector<Axis>& part : tensor.more_parts) ShrinkAxes(groups, part);
    Shape shape;
    for (size_t a = 0; a < tensor.axes.size(); ++a) {
      shape.push_back(tensor.size(a));
    }
    if (shape != graph.values()[id].shape) return std::nullopt;
    tensors.push_back(std::move(tensor));
  }
  try {
    return Symmetry(std::move(groups), std::move(tensors), symmetry.scalings());
  } catch (const Error&) {
    return std::nullopt;  // a tensor with parts of which only some are free
  }
}

}  // namespace rebasin
