// Degrees: the power of a unit's factor by which each value is scaled.
//
// Multiply a unit's weights by powers of s. Then every value that carries the
// unit is multiplied by some power of s there: its degree. Each operator gives
// linear equations between the degrees of its inputs and outputs: a product
// adds them, a sum requires equal ones, a contracted index requires that they
// cancel, ReLU passes them on, and an operator that depends on absolute values
// requires degree zero. An equation never couples two groups. Every solution of
// all equations is a symmetry.
//
// Positive scales have integer degrees. Signs have degrees modulo 2 and
// slightly different laws: ReLU requires degree zero, tanh passes signs on.

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

// The unknowns of one atom on all axes with the same label: for each operand,
// the unknowns on its axes with that label.
struct LabelUnknowns {
  int label = kNoLabel;
  std::vector<std::vector<int>> by_operand;

  bool Has(size_t operand) const {
    return operand < by_operand.size() && !by_operand[operand].empty();
  }
};

class Degrees {
 public:
  // `leaves` must outlive this object, which uses its numbering of unknowns.
  Degrees(const Leaves& leaves, ScalingKind kind);

  ScalingKind kind() const { return kind_; }
  LinearSystem& system() { return system_; }
  const LinearSystem::Form& Resolve(int unknown) {
    return system_.Resolve(unknown);
  }

  // Requires degree zero.
  void Zero(ValueId value);
  void ZeroAxis(ValueId value, size_t axis);
  void Zero(const LabelUnknowns& at_label);
  void Zero(const LabelUnknowns& at_label, size_t operand);

  // Calls `law` for each atom on each label. Axes without a label get degree
  // zero.
  void ByLabel(const NodeOperands& operands, const Labelling& labelling,
               const std::function<void(const LabelUnknowns&)>& law);

  // Requires one degree for all of `operands`, which is zero if one of them
  // lacks the label. All other operands get degree zero.
  void RequireSame(const LabelUnknowns& at_label,
                   std::span<const size_t> operands);

  // Requires that the sum of the degrees of `factors` (each with its sign) is
  // the degree of the output, or zero if the output lacks the label. The
  // operands in `added` have the degree of the output.
  void Product(const LabelUnknowns& at_label, std::span<const size_t> factors,
               std::span<const size_t> added, size_t output,
               std::span<const int> signs = {});

  // The law of operators that only move numbers. The other elements of an
  // output have degree zero, unless `filled_with_zeros`: a zero remains zero
  // under any scale.
  void TieStrips(const NodeOperands& operands, std::span<const Strip> strips,
                 bool filled_with_zeros = false);
  // The same for operators whose axes are known only by their atoms. Each atom
  // has one degree in all its places or, with `in_order`, the n-th place of the
  // input has the degree of the n-th place of the output, if both have as many
  // places.
  void TieAtoms(ValueId from, ValueId to, bool in_order);

  // y = w x + b for operators without labels (grouped convolutions). An atom
  // that both x and y have is batched over; one that only x has is summed over.
  void ProductByAtoms(ValueId x, ValueId w, ValueId b, ValueId y);

 private:
  // An axis of an operand, with its label.
  struct LabelledPart {
    size_t operand = 0;
    AxisPart part;
  };

  std::vector<int> UnknownsOf(ValueId value) const;
  // The axes of all operands by label. Axes without a label get degree zero.
  std::map<int, std::vector<LabelledPart>> PartsByLabel(
      const NodeOperands& operands, const Labelling& labelling);
  // Calls `law` for each atom on the axes with this label.
  void ApplyAtLabel(int label, std::span<const LabelledPart> labelled,
                    size_t operands,
                    const std::function<void(const LabelUnknowns&)>& law);
  void VisitAtoms(std::span<const AxisPart> parts, int64_t size,
                  const std::function<void(std::span<const int>)>& visit);

  const Leaves& leaves_;
  ScalingKind kind_;
  LinearSystem system_;
};

// Adds the equations of all nodes. An operator without a law gets degree zero
// on all axes: a missing law costs freedom, never correctness.
void ApplyDegreeLaws(Knowledge& knowledge, Degrees& degrees);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_DEGREES_H_
