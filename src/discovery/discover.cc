// Turns knowledge about axes into a symmetry with names.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "discovery/alike.h"
#include "discovery/alike_atoms.h"
#include "discovery/knowledge.h"
#include "discovery/scalings.h"
#include "discovery/traces.h"
#include "graph/flow.h"
#include "rebasin/discovery.h"
#include "symmetry/names.h"
#include "symmetry/placement.h"

namespace rebasin {
namespace {

// The name of a group: that of the first weight that contains it.
std::string BaseName(const std::string& weight) {
  std::string name = weight;
  for (const std::string_view ending : {".weight", ".bias", "_weight"}) {
    if (name.ends_with(ending) && name.size() > ending.size()) {
      name.resize(name.size() - ending.size());
    }
  }
  while (name.size() > 1 && name.back() == '.') name.pop_back();
  for (char& c : name) {
    if (!IsGroupName(std::string("_") + c)) c = '_';
  }
  return IsGroupName(name) ? name : "_" + name;
}

// The common beginning and end of names: "experts." and ".up" for
// "experts.0.up" and "experts.1.up".
struct CommonName {
  std::string before, behind;
};

CommonName CommonNameOf(const std::vector<std::string>& names) {
  std::string before = names[0], behind = names[0];
  for (const std::string& name : names) {
    const auto front =
        std::mismatch(before.begin(), before.end(), name.begin(), name.end());
    before.erase(front.first, before.end());
    const auto back = std::mismatch(behind.rbegin(), behind.rend(),
                                    name.rbegin(), name.rend());
    behind.erase(behind.begin(), back.first.base());
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!before.empty() && is_digit(before.back())) before.pop_back();
  while (!behind.empty() && is_digit(behind.front())) behind.erase(0, 1);
  return {before, behind};
}

class Emitter {
 public:
  Emitter(Knowledge& knowledge, const AtomScalings& scalings)
      : knowledge_(knowledge),
        algebra_(knowledge.algebra()),
        atom_scalings_(scalings) {}

  Discovery Emit() {
    AddLists();
    for (ValueId id : WeightsInOrderOfUse()) AddWeight(id);
    FindParents();
    FindStatistics();
    Discovery discovery;
    discovery.ties = FindTies();
    discovery.fixed = std::move(fixed_);
    discovery.barriers = Barriers();
    discovery.carriers = FindCarriers();
    auto scalings = Scalings();
    discovery.symmetry =
        Symmetry(std::move(groups_), std::move(tensors_), std::move(scalings));
    return discovery;
  }

 private:
  const Graph& graph() const { return knowledge_.graph(); }

  std::vector<ValueId> WeightsInOrderOfUse() const {
    std::vector<ValueId> order;
    std::set<ValueId> seen;
    auto add = [&](ValueId id) {
      if (id == kNoValue || graph().values()[id].role != Role::kWeight) return;
      if (seen.insert(id).second) order.push_back(id);
    };
    for (const Node& node : graph().nodes()) {
      for (ValueId id : node.inputs) add(id);
    }
    for (ValueId id : graph().weights()) add(id);
    return order;
  }

  // Adds the groups of lists, and the membership of their tensors.
  void AddLists() {
    for (const OrderedBranches& list : knowledge_.Lists()) {
      const auto corresponding = CorrespondingAtoms(list, knowledge_);
      for (const auto& [atom, first] : *corresponding) {
        alias_[atom] = first;
        order_of_[first] = list.order;
      }
      for (const std::vector<ValueId>& weights : list.branches->weights) {
        AddList(list.order, weights);
      }
    }
  }

  void AddList(AtomId order, const std::vector<ValueId>& weights) {
    std::vector<std::string> names;
    for (ValueId id : weights) names.push_back(graph().values()[id].name);
    const CommonName common = CommonNameOf(names);
    const int group = GroupOf(order, common.before, /*number=*/false);
    std::string list = common.before + "*" + common.behind;
    while (!lists_.insert(list).second) list += "*";
    for (size_t index = 0; index < weights.size(); ++index) {
      member_of_[weights[index]] = {list, group, static_cast<int64_t>(index)};
    }
  }

  AtomId Representative(AtomId atom) const {
    const auto found = alias_.find(atom);
    return found == alias_.end() ? atom : found->second;
  }

  void AddWeight(ValueId id) {
    const Value& value = graph().values()[id];
    TensorSymmetry tensor{.name = value.name, .axes = {}};
    const auto member = member_of_.find(id);
    if (member != member_of_.end()) tensor.member = member->second;
    if (!knowledge_.HasAxes(id)) {
      for (int64_t size : value.shape) {
        tensor.axes.push_back({{{Factor{kNoGroup, size}}}});
      }
    }
    const Knowledge::Parts parts = knowledge_.SpecParts(id);
    tensor.along = parts.along;
    tensor.more_parts.resize(parts.axes.size() - 1);
    for (size_t k = 0; k < parts.axes[0].size(); ++k) {
      const Place place = MakePlace(id, k, JoinedAxis(parts, k));
      for (size_t p = 0; p < parts.axes.size(); ++p) {
        (p == 0 ? tensor.axes : tensor.more_parts[p - 1])
            .push_back(MakeAxis(parts.axes[p][k], place));
      }
      NoteFixed(value, static_cast<int>(k), MostFixed(parts, k));
    }
    tensors_.push_back(std::move(tensor));
  }

  // The axes of all parts, concatenated.
  static Expression JoinedAxis(const Knowledge::Parts& parts, size_t axis) {
    Expression joined;
    for (const Axes& part : parts.axes) {
      joined.insert(joined.end(), part[axis].begin(), part[axis].end());
    }
    return joined;
  }

  // The axis of the part that has most fixed indices. For the axis along which
  // parts are joined: all parts, concatenated.
  Expression MostFixed(const Knowledge::Parts& parts, size_t axis) {
    if (axis == parts.along) return JoinedAxis(parts, axis);
    return std::max_element(parts.axes.begin(), parts.axes.end(),
                            [&](const Axes& a, const Axes& b) {
                              return FixedSize(a[axis]) < FixedSize(b[axis]);
                            })
        ->at(axis);
  }

  int64_t FixedSize(const Expression& expression) {
    int64_t size = 0;
    for (const Product& product : algebra_.Multiplied(expression)) {
      if (algebra_.IsFixed(Expression{product}))
        size += algebra_.SizeOf(product);
    }
    return size;
  }

  // An axis that is being written.
  struct Place {
    ValueId weight = kNoValue;  // its weight, or kNoValue
    size_t axis = 0;
    std::string name = {};
    bool number = false;  // whether names of groups are numbered
  };

  // `all`: the axes of all parts of the weight, whose groups are named
  // together.
  Place MakePlace(ValueId weight, size_t axis, const Expression& all) {
    std::set<AtomId> nameless;
    for (const Product& product : algebra_.Multiplied(all)) {
      for (AtomId atom : product) {
        const bool is_new = !group_of_.contains(Representative(atom));
        if (is_new && !algebra_.IsFixed(atom)) nameless.insert(atom);
      }
    }
    return {weight, axis, graph().values()[weight].name, nameless.size() > 1};
  }

  Axis MakeAxis(const Expression& expression, const Place& place) {
    Axis axis;
    WriteTerms(MakeTerms(expression, place), place, {}, 0, axis);
    ClearUnusedShared(axis);
    return axis;
  }

  // One product of an axis's sum: factors, and the sum in parentheses behind
  // them.
  struct Term {
    Segment factors;
    std::vector<Term> inner = {};
    std::map<AtomId, std::vector<ScalingEffect>> effects = {};
  };

  std::vector<Term> MakeTerms(const Expression& expression,
                              const Place& place) {
    std::vector<Term> terms;
    int64_t begin = 0;
    for (const Product& product : expression) {
      const bool nested = algebra_.EndsInSum(product);
      Product factors = product;
      if (nested) factors.pop_back();
      Term term{.factors = MakeSegment(factors, place.name, place.number)};
      if (nested) term.inner = MakeTerms(algebra_.LastSum(product), place);
      if (!nested) {
        term.effects = EffectsOf(product, place.weight, place.axis, begin);
      }
      AddTerm(terms, std::move(term));
      begin += algebra_.SizeOf(product);
    }
    return terms;
  }

  // Appends the terms, each behind `prefix`, to the axis as segments. The first
  // one shares `shared` factors with the segment before it, the others share
  // the prefix.
  void WriteTerms(std::vector<Term> terms, const Place& place,
                  const Segment& prefix, int shared, Axis& axis) {
    for (Term& term : terms) {
      Segment segment = prefix;
      segment.insert(segment.end(), term.factors.begin(), term.factors.end());
      if (term.inner.empty()) {
        axis.segments.push_back(std::move(segment));
        axis.shared.push_back(shared);
        AddPlaces(term.effects, place.name, place.axis,
                  axis.segments.size() - 1);
      } else {
        WriteTerms(std::move(term.inner), place, segment, shared, axis);
      }
      shared = static_cast<int>(prefix.size());
    }
  }

  std::map<AtomId, std::vector<ScalingEffect>> EffectsOf(const Product& product,
                                                         ValueId weight,
                                                         size_t axis,
                                                         int64_t begin) const {
    std::map<AtomId, std::vector<ScalingEffect>> effects;
    if (weight == kNoValue) return effects;
    for (AtomId atom : product) {
      auto here = atom_scalings_.EffectsAt(weight, axis, begin, atom);
      if (!here.empty()) effects[atom] = std::move(here);
    }
    return effects;
  }

  // Segments that were merged have one place.
  void AddPlaces(const std::map<AtomId, std::vector<ScalingEffect>>& effects,
                 const std::string& weight, size_t axis, size_t segment) {
    places_.resize(atom_scalings_.scalings().size());
    for (const auto& [atom, list] : effects) {
      for (const ScalingEffect& effect : list) {
        const ScalingPlace place{.tensor = weight,
                                 .axis = static_cast<int>(axis),
                                 .segment = static_cast<int>(segment),
                                 .degree = effect.degree};
        auto& places = places_[effect.scaling];
        if (places.empty() || places.back() != place) places.push_back(place);
      }
    }
  }

  std::vector<Scaling> Scalings() {
    std::vector<Scaling> scalings;
    for (size_t s = 0; s < places_.size(); ++s) {
      const AtomScaling& found = atom_scalings_.scalings()[s];
      scalings.push_back({.kind = found.kind,
                          .group = group_of_.at(found.atom),
                          .places = std::move(places_[s])});
    }
    std::stable_sort(scalings.begin(), scalings.end(),
                     [](const Scaling& x, const Scaling& y) {
                       return std::pair(x.kind, x.group) <
                              std::pair(y.kind, y.group);
                     });
    return scalings;
  }

  // Merges neighbouring fixed factors.
  Segment MakeSegment(const Product& product, const std::string& weight,
                      bool number) {
    Segment segment;
    for (AtomId atom : product) {
      const int64_t size = algebra_.size(atom);
      if (!algebra_.IsFixed(atom)) {
        segment.push_back({GroupOf(atom, weight, number), size});
      } else if (!segment.empty() && segment.back().group == kNoGroup) {
        segment.back().size *= size;
      } else {
        segment.push_back({kNoGroup, size});
      }
    }
    if (segment.empty()) segment.push_back({kNoGroup, 1});
    return segment;
  }

  static bool IsFixed(const Segment& segment) {
    return segment.size() == 1 && segment[0].group == kNoGroup;
  }

  static bool Same(const Segment& a, std::span<const Factor> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Factor& x, const Factor& y) {
                        return x.group == y.group && x.size == y.size;
                      });
  }

  // Merges neighbouring fixed terms, and writes x+x as 2*x unless the two are
  // scaled differently.
  static void AddTerm(std::vector<Term>& terms, Term term) {
    if (!terms.empty() && terms.back().inner.empty() && term.inner.empty()) {
      Segment& last = terms.back().factors;
      if (IsFixed(last) && IsFixed(term.factors)) {
        last[0].size += term.factors[0].size;
        return;
      }
      const bool same_scalings = terms.back().effects == term.effects;
      if (same_scalings && Same(term.factors, last)) {
        last.insert(last.begin(), {kNoGroup, 2});
        return;
      }
      const bool counted = last[0].group == kNoGroup && last.size() > 1;
      if (same_scalings && counted &&
          Same(term.factors, std::span(last).subspan(1))) {
        ++last[0].size;
        return;
      }
    }
    terms.push_back(std::move(term));
  }

  int GroupOf(AtomId own, const std::string& weight, bool number) {
    const AtomId atom = Representative(own);
    const auto found = group_of_.find(atom);
    if (found != group_of_.end()) return found->second;
    const int group = static_cast<int>(groups_.size());
    groups_.push_back({.name = NewName(BaseName(weight), number),
                       .size = algebra_.size(atom)});
    group_of_.emplace(atom, group);
    return group;
  }

  std::string NewName(const std::string& base, bool number) {
    std::string name = base;
    for (int i = 0; number || names_.contains(name); ++i) {
      name = base + "/" + std::to_string(i);
      number = false;
    }
    names_.insert(name);
    return name;
  }

  void FindParents() {
    for (const auto& [atom, group] : group_of_) {
      const AtomId outer = algebra_.Outer(atom);
      if (outer != kNoAtom) {
        groups_[group].parent = group_of_.at(outer);
      } else if (const auto order = order_of_.find(atom);
                 order != order_of_.end()) {
        groups_[group].parent = group_of_.at(order->second);
      }
    }
  }

  // Collects the running statistics of normalisations.
  void FindStatistics() {
    std::set<std::string> names;
    for (const Node& node : graph().nodes()) {
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const ValueId id = node.inputs[i];
        if (id == kNoValue || !IsStatistic(RoleOfInput(node, i))) continue;
        names.insert(graph().values()[id].name);
      }
    }
    for (TensorSymmetry& tensor : tensors_) {
      tensor.statistic = names.contains(tensor.name);
    }
  }

  // Adds one entry for each reason why indices of the axis are fixed.
  void NoteFixed(const Value& weight, int axis, const Expression& expression) {
    std::vector<std::pair<Cause, int64_t>> indices;
    for (const Product& product : algebra_.Multiplied(expression)) {
      const bool fixed = algebra_.IsFixed(Expression{product});
      if (product.empty() || !fixed) continue;
      const Cause cause = CauseOf(product);
      const auto found =
          std::find_if(indices.begin(), indices.end(),
                       [&](const auto& each) { return each.first == cause; });
      if (found == indices.end()) {
        indices.emplace_back(cause, algebra_.SizeOf(product));
      } else {
        found->second += algebra_.SizeOf(product);
      }
    }
    for (const auto& [cause, count] : indices) {
      Reason reason = knowledge_.ReasonOf(cause);
      fixed_.push_back({weight.name, axis, count, std::move(reason.what),
                        std::move(reason.name)});
    }
  }

  // Why a product is fixed. If one factor is never read (the units of a
  // recurrent layer, behind its gates), nothing of the product is.
  Cause CauseOf(const Product& product) const {
    const bool never_read = std::any_of(
        product.begin(), product.end(),
        [&](AtomId atom) { return algebra_.cause(atom) == kNeverRead; });
    return never_read ? kNeverRead : algebra_.cause(product[0]);
  }

  // The groups on an axis.
  std::set<int> GroupsOn(const Expression& expression) {
    std::set<int> groups;
    for (const Product& product :
         algebra_.Multiplied(algebra_.Explode(expression))) {
      for (AtomId atom : product) {
        for (AtomId each : algebra_.WithInstances(atom)) {
          const auto found = group_of_.find(Representative(each));
          if (found != group_of_.end()) groups.insert(found->second);
        }
      }
    }
    return groups;
  }

  std::string AxisName(ValueId id, const std::string& otherwise, size_t axis) {
    const Value& value = graph().values()[id];
    const std::string name =
        value.role == Role::kWeight ? value.name : otherwise;
    return name + "[" + std::to_string(axis) + "]";
  }

  void AddTies(ValueId id, const std::string& otherwise,
               std::map<int, std::vector<std::string>>& axes) {
    if (id == kNoValue || !knowledge_.HasAxes(id)) return;
    for (size_t k = 0; k < knowledge_.axes(id).size(); ++k) {
      for (int group : GroupsOn(knowledge_.axes(id)[k])) {
        axes[group].push_back(AxisName(id, otherwise, k));
      }
    }
  }

  std::vector<std::vector<Tie>> FindTies() {
    std::vector<std::vector<Tie>> ties(groups_.size());
    for (const Node& node : graph().nodes()) {
      if (Is(node, OperatorClass::kShapeOnly)) continue;  // ties nothing
      std::map<int, std::vector<std::string>> axes;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        AddTies(node.inputs[i], "input " + std::to_string(i), axes);
      }
      for (ValueId id : node.outputs) AddTies(id, "output", axes);
      for (auto& [group, names] : axes) {
        ties[group].push_back({NodeText(node), std::move(names)});
      }
    }
    return ties;
  }

  std::vector<std::string> Barriers() const {
    std::vector<std::string> barriers;
    for (size_t n = 0; n < graph().nodes().size(); ++n) {
      if (knowledge_.obstacle(n) == Obstacle::kNone) continue;
      const bool known = knowledge_.obstacle(n) == Obstacle::kNoRule;
      barriers.push_back(NodeText(graph().nodes()[n]) +
                         (known ? "" : ", whose shapes are unknown"));
    }
    return barriers;
  }

  std::vector<Carrier> FindCarriers() {
    const Flow flow(graph());
    std::set<ValueId> seen;
    std::vector<Carrier> carriers;
    for (const Node& node : graph().nodes()) {
      if (!IsProduct(node)) continue;
      for (ValueId id : node.inputs) {
        if (id == kNoValue || !flow.DependsOnInputs(id)) continue;
        if (!knowledge_.HasAxes(id) || !seen.insert(id).second) continue;
        const Knowledge::Parts parts = knowledge_.SpecParts(id);
        if (!CarriesGroups(parts)) continue;
        Carrier carrier{.value = id, .axes = {}};
        for (const Expression& axis : parts.axes[0]) {
          carrier.axes.push_back(MakeAxis(axis, Place()));
        }
        carriers.push_back(std::move(carrier));
      }
    }
    return carriers;
  }

  // Whether a value carries groups of weights and nothing else that is free. An
  // atom of a single branch is not such a group, since it is only one copy of a
  // group.
  bool CarriesGroups(const Knowledge::Parts& parts) {
    if (parts.axes.size() > 1) return false;
    bool any = false;
    for (const Expression& axis : knowledge_.AtomsOnAxes(parts)) {
      for (const Product& product : axis) {
        for (AtomId atom : product) {
          if (algebra_.IsFixed(atom)) continue;
          if (!group_of_.contains(atom) || order_of_.contains(atom)) {
            return false;
          }
          any = true;
        }
      }
    }
    return any;
  }

  Knowledge& knowledge_;
  AxisAlgebra& algebra_;
  std::vector<Group> groups_;
  std::vector<TensorSymmetry> tensors_;
  std::map<AtomId, int> group_of_;
  std::set<std::string> names_;
  // For branches that are alike: the atom of the first branch for each atom of
  // another one, and the atom that orders the branches of an atom.
  std::map<AtomId, AtomId> alias_, order_of_;
  std::map<ValueId, ListMember> member_of_;
  std::set<std::string> lists_;
  std::vector<FixedAxis> fixed_;
  const AtomScalings& atom_scalings_;
  std::vector<std::vector<ScalingPlace>> places_;  // by scaling
};

// After this many trials, all lists are given up.
constexpr int kMaxTrials = 4;

// Removes the lists whose order turned out to be fixed. Returns whether there
// were any.
bool DropFixedLists(Knowledge& knowledge, AlikeLists& alike) {
  std::set<const AlikeBranches*> free;
  for (const OrderedBranches& list : knowledge.Lists()) {
    free.insert(list.branches);
  }
  if (free.size() == alike.lists.size()) return false;
  AlikeLists kept;
  std::map<int, int> numbers;  // old, new
  for (size_t l = 0; l < alike.lists.size(); ++l) {
    if (!free.contains(&alike.lists[l])) continue;
    numbers[static_cast<int>(l)] = static_cast<int>(kept.lists.size());
    kept.lists.push_back(alike.lists[l]);
  }
  for (const auto& [node, list] : alike.list_of_node) {
    const auto found = numbers.find(list);
    if (found != numbers.end()) kept.list_of_node[node] = found->second;
  }
  alike = std::move(kept);
  return true;
}

}  // namespace

Discovery Discover(const Graph& graph, const DiscoverOptions& options) {
  return Discover(graph, DefaultInputShapes(graph), options);
}

Discovery Discover(const Graph& graph, std::span<const Shape> input_shapes,
                   const DiscoverOptions& options) {
  const Traces traces(graph, {input_shapes.begin(), input_shapes.end()});
  std::vector<ScalingKind> kinds;
  if (options.scales) kinds.push_back(ScalingKind::kScale);
  if (options.signs) kinds.push_back(ScalingKind::kSign);
  // A spec cannot express scalings of lists.
  AlikeLists alike =
      kinds.empty() ? FindAlike(graph, traces.inferences()[0]) : AlikeLists{};
  std::optional<Knowledge> knowledge;
  // A list with a fixed order has restricted other axes by then, so discovery
  // starts again without it.
  for (int trial = 0; trial == 0 || DropFixedLists(*knowledge, alike);
       ++trial) {
    if (trial == kMaxTrials) alike = {};
    knowledge.emplace(graph, traces.inferences(), traces.sizes(), &alike);
  }
  const AtomScalings scalings(*knowledge, kinds);
  return Emitter(*knowledge, scalings).Emit();
}

}  // namespace rebasin
