// What discovery has found out about the values of one graph.

#ifndef REBASIN_DISCOVERY_KNOWLEDGE_H_
#define REBASIN_DISCOVERY_KNOWLEDGE_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "discovery/algebra.h"
#include "discovery/alike.h"
#include "discovery/rule.h"
#include "graph/inference.h"
#include "graph/size_dependence.h"
#include "rebasin/graph.h"

namespace rebasin {

struct Reason {
  std::string what;  // "reaches the graph output"
  std::string name;  // of the node or value; may be empty
};

// Branches that may change places, by an atom that orders them.
struct OrderedBranches {
  const AlikeBranches* branches = nullptr;
  AtomId order = kNoAtom;
};

// Why a node is passed by nothing: all axes that it touches are fixed.
enum class Obstacle : uint8_t { kNone, kNoRule, kUnknownShape };

// Applies the rules of all nodes until nothing new follows, then checks every
// claim against every value and law, and starts again if one had to be
// withdrawn.
//
// A graph that leaves sizes open is looked at for several choices of them at
// once, as several graphs ("traces") that share their weights: what is learnt
// from one holds for all. What other choices would move is not relied on (see
// graph/size_dependence.h).
class Knowledge {
 public:
  // `traces`: the graph's inferences at one or more choices of sizes. What is
  // asked about values is answered for the first, unless another is named.
  // Everything given must outlive it.
  // `alike`: lists of tensors that may change places; null: none may.
  Knowledge(const Graph& graph, std::span<const Inference> traces,
            const SizeDependence& sizes, const Alike* alike = nullptr);

  const Graph& graph() const { return graph_; }
  AxisAlgebra& algebra() { return algebra_; }
  // Empty for values whose type is not known.
  const Axes& axes(ValueId value, size_t trace = 0) const {
    return axes_[At(trace, value)];
  }
  bool HasAxes(ValueId value, size_t trace = 0) const {
    return has_axes_[At(trace, value)];
  }
  // The axes of a value as a spec can say them: of each of its parts, joined
  // along one axis. Most have one part.
  struct Parts {
    std::vector<Axes> axes = {};
    size_t along = 0;
  };
  Parts SpecParts(ValueId value);
  Obstacle obstacle(size_t node) const { return obstacles_[node]; }
  // The axes of the value as a whole, written out each for itself.
  Axes WholeAxes(ValueId value);
  // All axes of all parts, with sums multiplied out in whatever order: for
  // asking which atoms stand beside each other.
  Axes AtomsOnAxes(const Parts& parts);
  Axes AtomsOnAxes(ValueId value) { return AtomsOnAxes(SpecParts(value)); }

  Reason ReasonOf(Cause cause) const;

  // The lists whose tensors do change places, and the atoms that order them.
  std::vector<OrderedBranches> Lists();

  // The value, where it is known without running; else null.
  const Array* constant(ValueId value) const {
    const auto& known = traces_[0].constants[value];
    return known ? &*known : nullptr;
  }
  // Whether all outputs of a node are such values.
  bool IsFolded(size_t node) const { return IsFolded(0, node); }
  // How the axes of a node lie on each other.
  Notes NotesOf(size_t node);

 private:
  struct LessonCount {
    size_t laws = 0, reads = 0;
  };

  size_t values() const { return graph_.values().size(); }
  size_t nodes() const { return graph_.nodes().size(); }
  // Where a value stands in lists that go over all traces.
  size_t At(size_t trace, ValueId value) const {
    return trace * values() + static_cast<size_t>(value);
  }
  bool IsUsable(size_t trace, ValueId value) const;
  bool IsFolded(size_t trace, size_t node) const;
  const Expression* PositionsOf(size_t trace, ValueId value) const;
  const std::vector<Choice>* ChoicesOf(size_t trace, ValueId value) const;
  Axes WithChoices(size_t at) const;
  void GiveAxesToSources();
  Axes FreshAxes(size_t trace, ValueId value);
  Axes ConstantAxes(size_t trace, ValueId value);
  void FixUnused();
  void LearnAll();
  void LearnFromNodes();
  void Visit(size_t trace, size_t node, Notes* notes = nullptr);
  struct Operands;
  Operands OperandsOf(size_t trace, const Node& node) const;
  void ApplyRule(size_t node, bool shapes_known, RuleContext& context);
  void KeepOutputs(size_t trace, const Node& node, RuleContext& context);
  void GiveUp();
  void LearnUntilClaimsHold();
  bool WithdrawWrongClaims();
  void AddParts(const Axes& axes, bool within, Parts& parts);
  void TryFurtherClaims();
  bool FixNeverRead();
  bool FixSelfProducts();
  bool FixUnlike();
  Reason ReasonOfNode(size_t node) const;
  Reason ReasonOfValue(ValueId value) const;
  std::set<AtomId> AtomsReadIn(size_t trace);
  // function(atom, the product it stands in).
  template <typename Function>
  void ForEachFreeInWeights(const Function& function);

  const Graph& graph_;
  std::span<const Inference> traces_;
  const SizeDependence& sizes_;
  const Alike* alike_;
  AxisAlgebra algebra_;
  std::vector<AtomId> orders_;  // of the lists
  std::vector<Axes> axes_;      // by trace and value, as At() says
  std::vector<bool> has_axes_;
  // Of values whose numbers are positions along an axis, that axis.
  std::map<size_t, Expression> positions_;
  // Of values that hold what was chosen, or follows from it.
  std::map<size_t, std::vector<Choice>> choices_;
  std::vector<int64_t> distinct_;             // by value, see distinct.h
  std::vector<Obstacle> obstacles_;           // by node
  std::vector<bool> cut_by_size_;             // by node
  std::vector<std::map<int, AtomId>> slots_;  // by trace and node
  Lessons lessons_;                           // of all traces, in order
  std::vector<LessonCount> learnt_before_;    // by trace
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_KNOWLEDGE_H_
