#include "discovery/degrees.h"

#include <algorithm>
#include <map>
#include <set>

namespace rebasin {
namespace {

constexpr int kAbsent = -1;

bool Contains(std::span<const size_t> list, size_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The piece that contains an index.
const Piece& PieceAt(const Pieces& pieces, int64_t index) {
  const auto next =
      std::upper_bound(pieces.begin(), pieces.end(), index,
                       [](int64_t at, const Piece& p) { return at < p.begin; });
  return *(next - 1);
}

int UnknownIn(const Piece& piece, AtomId atom) {
  for (const Leaf& leaf : piece.leaves) {
    if (leaf.atom == atom) return leaf.unknown;
  }
  return kAbsent;
}

int64_t SizeOf(const Pieces& pieces) { return pieces.back().end; }

}  // namespace

NodeOperands::NodeOperands(const Node& node)
    : values(node.inputs), inputs(node.inputs.size()) {
  values.insert(values.end(), node.outputs.begin(), node.outputs.end());
}

Degrees::Degrees(const Leaves& leaves, ScalingKind kind)
    : leaves_(leaves),
      kind_(kind),
      system_(kind == ScalingKind::kSign ? LinearSystem::Field::kModulo2
                                         : LinearSystem::Field::kIntegers) {
  for (int u = 0; u < leaves.unknowns(); ++u) system_.NewUnknown();
}

std::vector<int> Degrees::UnknownsOf(ValueId value) const {
  std::vector<int> unknowns;
  if (value == kNoValue) return unknowns;
  for (const Pieces& pieces : leaves_.Of(value)) {
    for (const Piece& piece : pieces) {
      for (const Leaf& leaf : piece.leaves) unknowns.push_back(leaf.unknown);
    }
  }
  return unknowns;
}

void Degrees::Zero(ValueId value) {
  for (int unknown : UnknownsOf(value)) system_.RequireZero(unknown);
}

void Degrees::ZeroAxis(ValueId value, size_t axis) {
  for (const Piece& piece : leaves_.Of(value)[axis]) {
    for (const Leaf& leaf : piece.leaves) system_.RequireZero(leaf.unknown);
  }
}

void Degrees::Zero(const LabelUnknowns& at_label) {
  for (size_t operand = 0; operand < at_label.by_operand.size(); ++operand) {
    Zero(at_label, operand);
  }
}

void Degrees::Zero(const LabelUnknowns& at_label, size_t operand) {
  if (operand >= at_label.by_operand.size()) return;
  for (int unknown : at_label.by_operand[operand]) {
    if (unknown != kAbsent) system_.RequireZero(unknown);
  }
}

// Cuts the parts, which have the same size, at each border of any of them.
void Degrees::VisitAtoms(
    std::span<const AxisPart> parts, int64_t size,
    const std::function<void(std::span<const int>)>& visit) {
  std::set<int64_t> cuts;
  for (const AxisPart& part : parts) {
    for (const Piece& piece : leaves_.Of(part.value)[part.axis]) {
      const int64_t cut = std::max<int64_t>(0, piece.begin - part.begin);
      if (cut < size && piece.end > part.begin) cuts.insert(cut);
    }
  }
  std::vector<int> unknowns(parts.size());
  for (int64_t cut : cuts) {
    std::vector<const Piece*> pieces;
    std::set<AtomId> atoms;
    for (const AxisPart& part : parts) {
      pieces.push_back(
          &PieceAt(leaves_.Of(part.value)[part.axis], part.begin + cut));
      for (const Leaf& leaf : pieces.back()->leaves) atoms.insert(leaf.atom);
    }
    for (AtomId atom : atoms) {
      for (size_t p = 0; p < parts.size(); ++p) {
        unknowns[p] = UnknownIn(*pieces[p], atom);
      }
      visit(unknowns);
    }
  }
}

void Degrees::ByLabel(const NodeOperands& operands, const Labelling& labelling,
                      const std::function<void(const LabelUnknowns&)>& law) {
  const auto by_label = PartsByLabel(operands, labelling);
  for (const auto& [label, parts] : by_label) {
    ApplyAtLabel(label, parts, operands.values.size(), law);
  }
}

std::map<int, std::vector<Degrees::LabelledPart>> Degrees::PartsByLabel(
    const NodeOperands& operands, const Labelling& labelling) {
  std::map<int, std::vector<LabelledPart>> by_label;
  for (size_t n = 0; n < operands.values.size(); ++n) {
    const ValueId value = operands.values[n];
    if (value == kNoValue) continue;
    const bool is_input = n < operands.inputs;
    const auto& lists = is_input ? labelling.inputs : labelling.outputs;
    const size_t number = is_input ? n : n - operands.inputs;
    for (size_t k = 0; k < leaves_.Of(value).size(); ++k) {
      const bool labelled = number < lists.size() && k < lists[number].size() &&
                            lists[number][k] != kNoLabel;
      if (labelled) {
        by_label[lists[number][k]].push_back({n, {value, k, 0}});
      } else {
        ZeroAxis(value, k);
      }
    }
  }
  return by_label;
}

void Degrees::ApplyAtLabel(
    int label, std::span<const LabelledPart> labelled, size_t operands,
    const std::function<void(const LabelUnknowns&)>& law) {
  const auto size_of = [&](const AxisPart& part) {
    return SizeOf(leaves_.Of(part.value)[part.axis]);
  };
  const int64_t size = size_of(labelled[0].part);
  std::vector<AxisPart> parts;
  bool same_size = true;
  for (const LabelledPart& each : labelled) {
    parts.push_back(each.part);
    same_size &= size_of(each.part) == size;
  }
  if (!same_size) {
    for (const AxisPart& part : parts) ZeroAxis(part.value, part.axis);
    return;
  }
  VisitAtoms(parts, size, [&](std::span<const int> unknowns) {
    LabelUnknowns at_label{.label = label, .by_operand = {}};
    at_label.by_operand.resize(operands);
    bool complete = true;
    for (size_t p = 0; p < unknowns.size(); ++p) {
      at_label.by_operand[labelled[p].operand].push_back(unknowns[p]);
      complete &= unknowns[p] != kAbsent;
    }
    if (complete) {
      law(at_label);
    } else {
      Zero(at_label);
    }
  });
}

void Degrees::RequireSame(const LabelUnknowns& at_label,
                          std::span<const size_t> operands) {
  const bool everywhere =
      std::all_of(operands.begin(), operands.end(),
                  [&](size_t operand) { return at_label.Has(operand); });
  if (!everywhere) return Zero(at_label);
  const int first = at_label.by_operand[operands[0]][0];
  for (size_t n = 0; n < at_label.by_operand.size(); ++n) {
    if (!Contains(operands, n)) Zero(at_label, n);
  }
  for (size_t operand : operands) {
    for (int unknown : at_label.by_operand[operand]) {
      system_.RequireEqual(first, unknown);
    }
  }
}

void Degrees::Product(const LabelUnknowns& at_label,
                      std::span<const size_t> factors,
                      std::span<const size_t> added, size_t output,
                      std::span<const int> signs) {
  for (size_t n = 0; n < at_label.by_operand.size(); ++n) {
    const bool named = Contains(factors, n) || Contains(added, n);
    if (!named && n != output) Zero(at_label, n);
  }
  LinearSystem::Form sum;
  for (size_t f = 0; f < factors.size(); ++f) {
    if (!at_label.Has(factors[f])) continue;
    for (int unknown : at_label.by_operand[factors[f]]) {
      sum.push_back({unknown, signs.empty() ? 1 : signs[f]});
    }
  }
  if (!at_label.Has(output)) {
    for (size_t operand : added) Zero(at_label, operand);
    system_.Require(sum);
    return;
  }
  const int result = at_label.by_operand[output][0];
  for (int unknown : at_label.by_operand[output]) {
    system_.RequireEqual(result, unknown);
  }
  sum.push_back({result, -1});
  system_.Require(sum);
  for (size_t operand : added) {
    if (!at_label.Has(operand)) return Zero(at_label);
    for (int unknown : at_label.by_operand[operand]) {
      system_.RequireEqual(result, unknown);
    }
  }
}

void Degrees::TieStrips(const NodeOperands& operands,
                        std::span<const Strip> strips, bool filled_with_zeros) {
  std::set<int> tied;
  for (const Strip& strip : strips) {
    const ValueId from = operands.values[strip.input];
    const ValueId to = operands.values[operands.output(strip.output)];
    const AxisPart parts[] = {{from, strip.input_axis, strip.input_begin},
                              {to, strip.output_axis, strip.output_begin}};
    VisitAtoms(parts, strip.size, [&](std::span<const int> unknowns) {
      tied.insert(unknowns[1]);
      if (unknowns[0] != kAbsent && unknowns[1] != kAbsent) {
        system_.RequireEqual(unknowns[0], unknowns[1]);
        return;
      }
      for (int unknown : unknowns) {
        if (unknown != kAbsent) system_.RequireZero(unknown);
      }
    });
  }
  if (filled_with_zeros) return;
  for (size_t n = operands.inputs; n < operands.values.size(); ++n) {
    for (int unknown : UnknownsOf(operands.values[n])) {
      if (!tied.contains(unknown)) system_.RequireZero(unknown);
    }
  }
}

void Degrees::TieAtoms(ValueId from, ValueId to, bool in_order) {
  std::map<AtomId, std::vector<int>> before, after;
  for (int unknown : UnknownsOf(from)) {
    before[leaves_.AtomOf(unknown)].push_back(unknown);
  }
  for (int unknown : UnknownsOf(to)) {
    after[leaves_.AtomOf(unknown)].push_back(unknown);
  }
  for (const auto& [atom, unknowns] : before) {
    const auto found = after.find(atom);
    const bool lost = found == after.end();
    const bool pairs =
        !lost && in_order && unknowns.size() == found->second.size();
    for (size_t i = 0; i < unknowns.size(); ++i) {
      if (lost) {
        system_.RequireZero(unknowns[i]);
      } else {
        system_.RequireEqual(unknowns[i], found->second[pairs ? i : 0]);
      }
    }
  }
  for (const auto& [atom, unknowns] : after) {
    const auto found = before.find(atom);
    const bool is_new = found == before.end();
    const bool pairs =
        !is_new && in_order && unknowns.size() == found->second.size();
    if (pairs) continue;
    for (int unknown : unknowns) {
      if (is_new) {
        system_.RequireZero(unknown);
      } else {
        system_.RequireEqual(unknown, unknowns[0]);
      }
    }
  }
}

void Degrees::ProductByAtoms(ValueId x, ValueId w, ValueId b, ValueId y) {
  std::map<AtomId, LabelUnknowns> by_atom;
  const ValueId values[] = {x, w, b, y};
  for (size_t n = 0; n < 4; ++n) {
    for (int unknown : UnknownsOf(values[n])) {
      LabelUnknowns& at_label = by_atom[leaves_.AtomOf(unknown)];
      at_label.by_operand.resize(4);
      at_label.by_operand[n].push_back(unknown);
    }
  }
  const size_t factors[] = {0, 1};
  const size_t bias[] = {2};
  const auto added = std::span(bias).first(b == kNoValue ? 0 : 1);
  for (const auto& [atom, at_label] : by_atom) {
    const bool once =
        std::all_of(at_label.by_operand.begin(), at_label.by_operand.end(),
                    [](const auto& list) { return list.size() <= 1; });
    if (once) {
      Product(at_label, factors, added, 3);
    } else {
      Zero(at_label);
    }
  }
}

}  // namespace rebasin
