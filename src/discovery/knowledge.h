// What discovery has found out about the values of one graph.

#ifndef REBASIN_DISCOVERY_KNOWLEDGE_H_
#define REBASIN_DISCOVERY_KNOWLEDGE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discovery/algebra.h"
#include "discovery/rule.h"
#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

struct Reason {
  std::string what;  // "reaches the graph output"
  std::string name;  // of the node or value; may be empty
};

// Applies the rules of all nodes until nothing new follows, then checks every
// claim against every value and law, and starts again if one had to be
// withdrawn.
class Knowledge {
 public:
  // Both must outlive it.
  Knowledge(const Graph& graph, const Inference& inference);

  const Graph& graph() const { return graph_; }
  AxisAlgebra& algebra() { return algebra_; }
  // Empty for values whose type is not known.
  const Axes& axes(ValueId value) const { return axes_[value]; }
  bool HasAxes(ValueId value) const { return has_axes_[value]; }
  // The axes of a value as a spec can say them.
  Axes SpecAxes(ValueId value);
  const std::vector<bool>& barriers() const { return barriers_; }  // by node

  Reason ReasonOf(Cause cause) const;

  // The value, where it is known without running; else null.
  const Array* constant(ValueId value) const {
    const auto& known = inference_.constants[value];
    return known ? &*known : nullptr;
  }
  // Whether all outputs of a node are such values.
  bool IsFolded(size_t node) const;
  // How the axes of a node lie on each other.
  Notes NotesOf(size_t node);

 private:
  bool IsUsable(ValueId value) const;
  void GiveAxesToSources();
  Axes FreshAxes(ValueId value);
  Axes ConstantAxes(ValueId value);
  void FixUnused();
  void LearnFromNodes();
  void Visit(size_t node, Notes* notes = nullptr);
  void GiveUp();
  void LearnUntilClaimsHold();
  bool WithdrawWrongClaims();
  void TryFurtherClaims();

  const Graph& graph_;
  const Inference& inference_;
  AxisAlgebra algebra_;
  std::vector<Axes> axes_;
  std::vector<bool> has_axes_;
  std::vector<bool> barriers_;
  std::vector<std::map<int, AtomId>> slots_;  // by node
  std::vector<Law> laws_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_KNOWLEDGE_H_
