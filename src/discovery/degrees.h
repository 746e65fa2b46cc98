// Degrees: with which power of a unit's factor each value scales.
//
// Multiply a unit's weights by s to some powers, and every value that carries
// the unit is multiplied by s to some power there, its degree. Each operator
// gives linear equations between the degrees of its inputs and outputs: a
// product adds them, a sum wants them equal, a contracted index wants them to
// cancel, ReLU passes them on, and what reads absolute numbers wants zero. An
// equation never couples two groups. What solves all equations is a symmetry.
//
// Positive scales have whole degrees; signs have degrees modulo 2, and slightly
// different laws: ReLU refuses them, tanh passes them on.

#ifndef REBASIN_DISCOVERY_DEGREES_H_
#define REBASIN_DISCOVERY_DEGREES_H_

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "discovery/knowledge.h"
#include "discovery/leaves.h"
#include "discovery/linear_system.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// A part of an axis, from `begin` on.
struct AxisPart {
  ValueId value = kNoValue;
  size_t axis = 0;
  int64_t begin = 0;
};

// Operands of a node by number: its inputs, then its outputs.
struct NodeOperands {
  std::vector<ValueId> values;  // kNoValue: left out
  size_t inputs = 0;

  explicit NodeOperands(const Node& node);
  size_t output(size_t number = 0) const { return inputs + number; }
};

// The unknowns of one atom where axes with the same label lie on each other:
// for each operand, those of its axes with that label.
struct Meeting {
  int label = kNoLabel;
  std::vector<std::vector<int>> at;

  bool Has(size_t operand) const {
    return operand < at.size() && !at[operand].empty();
  }
};

class Degrees {
 public:
  // The leaves must outlive it. Unknowns are those of the leaves.
  Degrees(const Leaves& leaves, ScalingKind kind);

  ScalingKind kind() const { return kind_; }
  LinearSystem& system() { return system_; }
  const LinearSystem::Form& Resolve(int unknown) {
    return system_.Resolve(unknown);
  }

  // Nothing scales here.
  void Zero(ValueId value);
  void ZeroAxis(ValueId value, size_t axis);
  void Zero(const Meeting& meeting);
  void Zero(const Meeting& meeting, size_t operand);

  // Visits each atom on each label. All that no label covers is zero.
  void ByLabel(const NodeOperands& operands, const Labelling& labelling,
               const std::function<void(const Meeting&)>& law);

  // All operands named have the same degree; zero if one lacks the label. The
  // others are zero.
  void Same(const Meeting& meeting, std::span<const size_t> operands);

  // The sum of `factors` (each plus or minus) is that of the output, or zero if
  // that lacks the label. `added` have the same degree as the output.
  void Product(const Meeting& meeting, std::span<const size_t> factors,
               std::span<const size_t> added, size_t output,
               std::span<const int> signs = {});

  // Numbers that are moved only. What else an output holds is numbers that do
  // not scale or, where it is `filled_with_zeros`, zeros, which any scale
  // leaves what they are.
  void ByStrips(const NodeOperands& operands, std::span<const Strip> strips,
                bool filled_with_zeros = false);
  // The same where only atoms tell what became of the axes: each atom has the
  // same degree in all its places; or, `in_order`, as its places follow each
  // other, if there are as many on both sides.
  void ByAtoms(ValueId from, ValueId to, bool in_order);

  // y = w x + b where axes have no labels of their own (grouped convolutions):
  // an atom that both x and y have is batched over, one that only x has is
  // summed over.
  void ProductByAtoms(ValueId x, ValueId w, ValueId b, ValueId y);

 private:
  // One axis of an operand.
  struct LabelledPart {
    size_t operand = 0;
    AxisPart part;
  };

  std::vector<int> UnknownsOf(ValueId value) const;
  // The axes of all operands, by their label. Axes without one become zero.
  std::map<int, std::vector<LabelledPart>> PartsByLabel(
      const NodeOperands& operands, const Labelling& labelling);
  // Calls `law` for each atom of axes that have the same label.
  void MeetParts(int label, std::span<const LabelledPart> labelled,
                 size_t operands,
                 const std::function<void(const Meeting&)>& law);
  void VisitAtoms(std::span<const AxisPart> parts, int64_t size,
                  const std::function<void(std::span<const int>)>& visit);

  const Leaves& leaves_;
  ScalingKind kind_;
  LinearSystem system_;
};

// States the laws of all nodes. An operator without a law scales nothing: a
// missing law costs freedom, never correctness.
void ApplyDegreeLaws(Knowledge& knowledge, Degrees& degrees);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_DEGREES_H_
