// What discovery knows about the values of one graph.

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
  std::string what;  // such as "reaches the graph output"
  std::string name;  // of the node or value; may be empty
};

// Branches that may be permuted, and the atom of their order.
struct OrderedBranches {
  const AlikeBranches* branches = nullptr;
  AtomId order = kNoAtom;
};

// Why all axes of a node are fixed.
enum class Obstacle : uint8_t { kNone, kNoRule, kUnknownShape };

// Applies the rules of all nodes until nothing changes, then checks every claim
// against every value and law. If a claim had to be withdrawn, starts again.
//
// A graph with open sizes is examined at several choices of these sizes at
// once. The choices ("traces") are treated as several graphs that share their
// weights, so that a restriction found in one trace applies to all. Borders
// that move with an open size are not relied on (see graph/size_dependence.h).
class Knowledge {
 public:
  // `traces`: the graph's inferences at one or more choices of sizes. Queries
  // about values refer to the first trace unless another is given.
  // `alike`: lists of tensors that may be permuted; null if there are none.
  // All arguments must outlive this object.
  Knowledge(const Graph& graph, std::span<const Inference> traces,
            const SizeDependence& sizes, const AlikeLists* alike = nullptr);

  const Graph& graph() const { return graph_; }
  AxisAlgebra& algebra() { return algebra_; }
  // Empty for values of unknown type.
  const Axes& axes(ValueId value, size_t trace = 0) const {
    return axes_[IndexOf(trace, value)];
  }
  bool HasAxes(ValueId value, size_t trace = 0) const {
    return has_axes_[IndexOf(trace, value)];
  }
  // The axes of a value in the form that a spec can express: the axes of each
  // part; parts are joined along one axis. Most values have one part.
  struct Parts {
    std::vector<Axes> axes = {};
    size_t along = 0;
  };
  Parts SpecParts(ValueId value);
  Obstacle obstacle(size_t node) const { return obstacles_[node]; }
  // The axes of the whole value, each in the form that a spec can express.
  Axes WholeAxes(ValueId value);
  // All axes of all parts, with sums multiplied out in any order. Use it only
  // to find out which atoms occur together.
  Axes AtomsOnAxes(const Parts& parts);
  Axes AtomsOnAxes(ValueId value) { return AtomsOnAxes(SpecParts(value)); }

  Reason ReasonOf(Cause cause) const;

  // The lists that may be permuted, and the atoms of their order.
  std::vector<OrderedBranches> Lists();

  // The value if it is known without running the graph; otherwise null.
  const Array* constant(ValueId value) const {
    const auto& known = traces_[0].constants[value];
    return known ? &*known : nullptr;
  }
  // Whether all outputs of a node are known without running the graph.
  bool IsFolded(size_t node) const { return IsFolded(0, node); }
  // How the axes of a node's inputs and outputs correspond.
  AxisCorrespondence CorrespondenceOf(size_t node);

 private:
  struct ReportSize {
    size_t laws = 0, reads = 0;
  };

  size_t values() const { return graph_.values().size(); }
  size_t nodes() const { return graph_.nodes().size(); }
  // The index of a value in lists over all traces.
  size_t IndexOf(size_t trace, ValueId value) const {
    return trace * values() + static_cast<size_t>(value);
  }
  bool IsUsable(size_t trace, ValueId value) const;
  bool IsFolded(size_t trace, size_t node) const;
  const Expression* PositionsOf(size_t trace, ValueId value) const;
  const std::vector<Choice>* ChoicesOf(size_t trace, ValueId value) const;
  Axes AxesAndChoices(size_t at) const;
  void InitializeSourceAxes();
  Axes FreshAxes(size_t trace, ValueId value);
  Axes ConstantAxes(size_t trace, ValueId value);
  void FixUnused();
  void LearnAll();
  void LearnFromNodes();
  void VisitNode(size_t trace, size_t node,
                 AxisCorrespondence* correspondence = nullptr);
  struct Operands;
  Operands OperandsOf(size_t trace, const Node& node) const;
  void ApplyRule(size_t node, bool shapes_known, RuleContext& context);
  void KeepOutputs(size_t trace, const Node& node, RuleContext& context);
  void FixEverything();
  void LearnUntilClaimsHold();
  bool WithdrawWrongClaims();
  void AddParts(const Axes& axes, bool within, Parts& parts);
  void TryFurtherClaims();
  bool FixNeverRead();
  bool FixSelfProducts();
  bool FixUnlikeLists();
  Reason ReasonOfNode(size_t node) const;
  Reason ReasonOfValue(ValueId value) const;
  std::set<AtomId> AtomsReadIn(size_t trace);
  // Calls function(atom, the product that contains it).
  template <typename Function>
  void ForEachFreeInWeights(const Function& function);

  const Graph& graph_;
  std::span<const Inference> traces_;
  const SizeDependence& sizes_;
  const AlikeLists* alike_;
  AxisAlgebra algebra_;
  std::vector<AtomId> orders_;  // of the lists
  std::vector<Axes> axes_;      // by IndexOf(trace, value)
  std::vector<bool> has_axes_;
  // For values whose numbers are positions along an axis: that axis.
  std::map<size_t, Expression> positions_;
  // For values that hold chosen units, or are computed from chosen units.
  std::map<size_t, std::vector<Choice>> choices_;
  std::vector<int64_t> distinct_;             // by value, see distinct.h
  std::vector<Obstacle> obstacles_;           // by node
  std::vector<bool> cut_by_size_;             // by node
  std::vector<std::map<int, AtomId>> slots_;  // by trace and node
  RuleReport report_;                         // of all traces, in order
  std::vector<ReportSize> report_sizes_;      // by trace
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_KNOWLEDGE_H_
