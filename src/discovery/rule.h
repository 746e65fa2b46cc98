// The interface between discovery and the rule of an operator. A rule reads the
// axes of the node's inputs, ties, splits or fixes them, and sets the axes of
// the outputs. Rules run repeatedly until nothing changes. So a rule must give
// the same answer in the same state: its new atoms come from slots.

#ifndef REBASIN_DISCOVERY_RULE_H_
#define REBASIN_DISCOVERY_RULE_H_

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "discovery/algebra.h"
#include "discovery/law.h"
#include "graph/operator.h"
#include "graph/size_dependence.h"

namespace rebasin {

using Axes = std::vector<Expression>;

// Labels of all inputs and outputs of a node, and which labels are special.
struct Labelling {
  std::vector<Labels> inputs;
  std::vector<Labels> outputs;
  std::set<int> mixed = {};
  std::set<int> fixed = {};
};

// A range of an output's axis that holds a range of an input's axis.
struct Strip {
  size_t input = 0, input_axis = 0;
  int64_t input_begin = 0;
  size_t output = 0, output_axis = 0;
  int64_t output_begin = 0;
  int64_t size = 0;
};

// How the axes of a node's inputs and outputs correspond: by labels or, for
// operators that only move numbers, by strips. If neither is set, it is
// unknown.
struct AxisCorrespondence {
  std::optional<Labelling> labelling = {};
  std::vector<Strip> strips = {};
};

// What rules report apart from the axes of their outputs.
struct RuleReport {
  std::vector<Law> laws = {};
  // Axes that a node without a law sums over.
  std::vector<Expression> reads = {};
};

// Units that were chosen by their positions, such as the experts of each token:
// at each index of some axes of a value, one unit is chosen when the network
// runs. So an atom within the units (the hidden units of an expert) may be in
// the order of the chosen unit.
struct Choice {
  Expression among = {};       // the units to choose from
  ValueId by = kNoValue;       // the positions
  std::set<size_t> axes = {};  // of the value

  // `among` follows from `by`.
  friend bool operator==(const Choice& x, const Choice& y) {
    return x.by == y.by && x.axes == y.axes;
  }
};

// What is known about an input.
struct RuleInput {
  const Axes* axes = nullptr;
  // The axis along which its numbers are positions: they change if that axis is
  // permuted. Null if the numbers are not positions.
  const Expression* positions = nullptr;
  int64_t distinct = 0;  // an axis, see distinct.h
  const std::vector<Choice>* choices = nullptr;
};

class RuleContext {
 public:
  // `slots`: this node's atoms, kept from one visit to the next.
  RuleContext(const OpContext& op, AxisAlgebra& algebra, Cause cause,
              std::vector<RuleInput> inputs,
              std::span<const ValueType* const> outputs,
              const SizeDependence& sizes, std::map<int, AtomId>& slots,
              RuleReport& report)
      : op_(op),
        algebra_(algebra),
        cause_(cause),
        inputs_(std::move(inputs)),
        output_types_(outputs),
        outputs_(outputs.size()),
        positions_(outputs.size()),
        chosen_(outputs.size()),
        sizes_(sizes),
        slots_(slots),
        report_(report) {}

  const OpContext& op() const { return op_; }
  AxisAlgebra& algebra() { return algebra_; }
  Cause cause() const { return cause_; }

  size_t inputs() const { return inputs_.size(); }
  bool Has(size_t input) const { return op_.Has(input); }
  const Axes& axes(size_t input) const { return *inputs_[input].axes; }
  // Whether the numbers of an input along this axis are distinct.
  bool IsDistinct(size_t input, size_t axis) const {
    const auto from_end = static_cast<int64_t>(axis) - op_.rank(input);
    return inputs_[input].distinct == from_end;
  }

  // The axis along which the numbers of an input are positions, or null. A rule
  // that calls this must make sure that its outputs do not depend on the order
  // of that axis. If no rule calls it, the axis is fixed.
  const Expression* TakePositions(size_t input) {
    return std::exchange(inputs_[input].positions, nullptr);
  }
  void SetPositions(size_t output, Expression along) {
    positions_[output] = std::move(along);
  }
  const Expression* positions_of_output(size_t output) const {
    return positions_[output] ? &*positions_[output] : nullptr;
  }
  // Each index of the output's axis belongs to one index of the input's axis,
  // so that choices known along the latter are known along the former.
  void CarryChoices(size_t input, size_t axis, size_t output,
                    size_t output_axis);
  void AddChoice(size_t output, Choice choice) {
    chosen_[output].push_back(std::move(choice));
  }
  std::vector<Choice> ChoicesOf(size_t output) const;
  // Passes positions on if the operator only moves numbers.
  void PassPositions();
  void FixUntakenPositions();
  const Shape& shape(size_t input) const { return op_.shape(input); }
  size_t outputs() const { return output_types_.size(); }
  // Null if the output is unused.
  const ValueType* output(size_t output) const { return output_types_[output]; }
  const Shape& output_shape(size_t output) const {
    return output_types_[output]->shape;
  }

  void SetAxes(size_t output, Axes axes) { outputs_[output] = std::move(axes); }
  Axes TakeAxes(size_t output) { return std::move(outputs_[output]); }

  // Atom number `slot` of this node.
  AtomId FreeSlot(int slot, int64_t size, AtomId outer = kNoAtom);
  Expression FreeAxis(int slot, int64_t size);
  Expression FixedAxis(int slot, int64_t size);

  void Unify(const Expression& a, const Expression& b) {
    algebra_.Unify(a, b, cause_);
  }
  void Fix(const Expression& axis) { algebra_.Fix(axis, cause_); }

  // Whether the size of this axis, or this element of an input of known value,
  // changes with the open sizes of the graph. An axis that has such a size or
  // is cut at such a position must be fixed, since its borders move.
  bool AxisVaries(size_t input, size_t axis) const;
  bool ElementVaries(size_t input, size_t element) const;
  // Fixes an axis for this reason.
  void FixForAllSizes(const Expression& axis) {
    cut_by_size_ = true;
    Fix(axis);
  }
  bool cut_by_size() const { return cut_by_size_; }

  // Unifies all axes with the same label, fixes those labelled as fixed, and
  // sets the outputs. An output axis is fixed if no input has its label at the
  // same size.
  void Apply(Labelling labelling);
  void AddLaw(Law law) { report_.laws.push_back(std::move(law)); }
  // Reports that the node sums over this axis. For rules that add no law.
  void ReportSum(const Expression& axis) { report_.reads.push_back(axis); }

  // Where to write how the axes correspond; null: nowhere. A rule that moves
  // numbers reports all its strips or none.
  void RecordCorrespondence(AxisCorrespondence* correspondence) {
    correspondence_ = correspondence;
  }
  void ReportStrip(const Strip& strip);
  // Axis `k` of the input becomes axis `out` of the output as a whole.
  void ReportWholeAxis(size_t input, size_t k, size_t output, size_t out);

  // The order of the branches, if the node reads one index of an axis for one
  // of several branches that are alike, or stacks their results (see alike.h).
  // Otherwise, and if the branches keep their order, kNoAtom.
  void SetBranches(AtomId order) { branches_ = order; }
  // The order of the branches; none if they keep their order.
  std::optional<Expression> branches() const {
    if (branches_ == kNoAtom) return std::nullopt;
    const Expression order = algebra_.Resolve({{branches_}});
    return algebra_.IsFixed(order) ? std::nullopt : std::optional(order);
  }

  // The rule of operators without one: fixes every axis of every input and
  // output.
  void FixAll();

 private:
  std::set<int> DropBroadcast(Labelling& labelling) const;
  bool HasChoices() const;
  void CarryLabels(size_t input, const Labels& from, size_t output,
                   const Labels& to);
  void AddChoices(const Labelling& labelling, Law& law) const;

  const OpContext& op_;
  AxisAlgebra& algebra_;
  Cause cause_;
  std::vector<RuleInput> inputs_;
  std::span<const ValueType* const> output_types_;
  std::vector<Axes> outputs_;
  std::vector<std::optional<Expression>> positions_;  // by output
  std::vector<std::vector<Choice>> chosen_;           // by output
  // By input, output and axis of the input.
  std::map<std::pair<size_t, size_t>, std::map<size_t, std::set<size_t>>>
      carried_;
  const SizeDependence& sizes_;
  std::map<int, AtomId>& slots_;
  RuleReport& report_;
  bool cut_by_size_ = false;
  AtomId branches_ = kNoAtom;
  AxisCorrespondence* correspondence_ = nullptr;
};

using Rule = void (*)(RuleContext&);

struct NamedRule {
  std::string_view op;
  Rule rule;
};

// Null for operators without a rule.
Rule FindRule(std::string_view op);

// Returns [0, 1, ..., rank - 1].
Labels InOrder(int64_t rank);
// Returns the labels of an input of shape `from` that is broadcast to an output
// of shape `to`, whose axes are labelled in order. Apply() knows what to do
// with axes of size 1 that meet larger ones.
Labels Broadcast(const Shape& from, const Shape& to);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_RULE_H_
