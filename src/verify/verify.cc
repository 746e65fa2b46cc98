#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/checked.h"
#include "base/parallel.h"
#include "discovery/traces.h"
#include "graph/cost.h"
#include "graph/inference.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "verify/elements.h"
#include "verify/generic_weights.h"
#include "verify/hidden_ends.h"
#include "verify/shrink.h"
#include "verify/static_part.h"
#include "verify/ties.h"
#include "verify/trial.h"
#include "verify/visibility.h"
#include "verify/weight_survey.h"

namespace rebasin {
namespace {

// Graphs with more multiplications than this (about a second) are not run at
// full size if they can be shrunk.
constexpr double kCostly = 1e9;

// A group is seen if its effect exceeds the tolerance by this factor.
constexpr double kVisible = 100;

// Limits of the further draws, which are made until every group has been seen,
// for a few seconds at most. In deep graphs the units of some layer may all be
// dead or saturated, and places in an image that random weights choose may lie
// outside of it.
constexpr int kMoreDraws = 128;
constexpr int kFirstMore = 16;  // number of the first further draw
constexpr double kMoreProducts = 3e9;

// A graph to run at some shapes, with the symmetry to test.
struct Subject {
  const Graph* graph;
  std::vector<Shape> shapes;
  std::shared_ptr<const Symmetry> symmetry;
  BranchChoice choice = {};
};

// Thrown if the graph gives no finite outputs at these sizes, or does not run
// because an index is out of range.
struct CannotRun {
  std::string why;
};

// Repeats the subjects so that every branch that depends on inputs is taken in
// one of them.
std::vector<Subject> WithBranchChoices(const std::vector<Subject>& subjects) {
  std::vector<Subject> all;
  for (const Subject& subject : subjects) {
    for (BranchChoice& choice : CoveringBranchChoices(*subject.graph)) {
      all.push_back(subject);
      all.back().choice = std::move(choice);
    }
  }
  return all;
}

// The claim to be proved.
struct Claim {
  const Graph& graph;
  const Checkpoint& model;
  std::span<const Alignment> elements;
  const VerifyOptions& options;
  const Run& run;
  std::set<std::string> positive;  // names of weights, see weight_survey.h
  // The static part of the graph, if the graph is proved as a whole.
  StaticPart part = {};
};

class Proof {
 public:
  // `graph` is that of the claim, or a part of it. `shapes`: the usual shapes
  // of its inputs.
  Proof(const Graph& graph, const Claim& claim, std::vector<Shape> shapes)
      : graph_(graph),
        whole_(claim.graph),
        model_(claim.model),
        elements_(claim.elements),
        symmetry_(claim.elements[0].shared_symmetry()),
        options_(claim.options),
        run_(claim.run),
        positive_(claim.positive),
        part_(claim.part),
        usual_(std::move(shapes)) {
    report_.same = true;
  }

  VerifyReport Run() {
    const bool shrunk = Shrink();
    const bool costly = CountProducts(graph_, Infer(graph_, usual_)) > kCostly;
    if (!shrunk || !costly) RunOwnWeights();
    report_.small = shrunk;
    std::vector<int> unseen = MovedGroups();
    const std::vector<Subject> subjects =
        WithBranchChoices(shrunk ? SmallSubjects() : Subjects());
    const int draws = DrawsOf(subjects);
    for (int draw = 0; draw < draws; ++draw) {
      for (const Subject& subject : subjects) {
        RunDraw(subject, draw, Signs::kMixed, unseen);
      }
    }
    RunMoreDraws(subjects, unseen);
    report_.tie_breakers = NamesOf(FindTieBreakers(subjects));
    std::set<int> unproved = GroupsBehindHiddenEnds(subjects[0]);
    unproved.insert(unseen.begin(), unseen.end());
    report_.unproved = NamesOf(unproved);
    return std::move(report_);
  }

 private:
  // Whether a single given alignment is tested, so that nothing is claimed
  // about other elements. On a shrunk graph each run has a random element.
  bool TestsOneElement() const {
    return !small_symmetry_ && elements_.size() == 1;
  }

  int DrawsOf(const std::vector<Subject>& subjects) const {
    if (TestsOneElement()) return options_.draws;
    const int runs = static_cast<int>(subjects.size());
    const int enough = EnoughElements(*subjects[0].symmetry);
    return std::max(options_.draws, (enough + runs - 1) / runs);
  }

  bool Shrink() {
    small_ = ShrinkGraph(graph_, usual_);
    if (small_.empty()) return false;
    auto symmetry = ShrinkSymmetry(*symmetry_, small_[0].graph);
    if (!symmetry) return false;
    small_symmetry_ = std::make_shared<const Symmetry>(*std::move(symmetry));
    return true;
  }

  std::vector<Subject> SmallSubjects() const {
    std::vector<Subject> subjects;
    for (const SmallGraph& small : small_) {
      subjects.push_back({&small.graph, small.input_shapes, small_symmetry_});
    }
    return subjects;
  }

  std::vector<Subject> Subjects() const {
    std::vector<Subject> subjects = {{&graph_, usual_, symmetry_}};
    for (const auto& shapes : OtherInputShapes(graph_, usual_)) {
      subjects.push_back({&graph_, shapes, symmetry_});
    }
    return subjects;
  }

  std::vector<std::string> NamesOf(const std::set<int>& groups) const {
    std::vector<std::string> names;
    for (int g : groups) names.push_back(symmetry_->groups()[g].name);
    return names;
  }

  // The graph whose weights the subject's symmetry describes.
  const Graph& DescribedGraph(const Subject& subject) const {
    return subject.graph == &graph_ ? whole_ : *subject.graph;
  }

  // The number of multiplications of a run. If shapes are known only at run
  // time, it is estimated from the sizes of weights, each of which is used at
  // many places.
  static double CostOf(const Subject& subject) {
    constexpr double kUsesOfWeight = 50;
    const Graph& graph = *subject.graph;
    double cost = CountProducts(graph, Infer(graph, subject.shapes));
    for (ValueId id : graph.weights()) {
      cost += kUsesOfWeight *
              static_cast<double>(*CheckedProduct(graph.values()[id].shape));
    }
    return cost;
  }

  // Each unseen group occurs in about two tensors, and takes one run for each.
  void RunMoreDraws(const std::vector<Subject>& subjects,
                    std::vector<int>& unseen) {
    double products = 0;
    for (const Subject& subject : subjects) products += CostOf(subject);
    double spent = 0;
    for (int more = 0; more < kMoreDraws; ++more) {
      if (unseen.empty() && ends_.Hidden().empty()) return;
      spent += products * 2 * (1 + static_cast<double>(unseen.size()));
      if (spent > kMoreProducts) return;
      const Signs signs = more % 2 == 0 ? Signs::kCalm : Signs::kMixed;
      for (const Subject& subject : subjects) {
        RunDraw(subject, kFirstMore + more, signs, unseen);
      }
    }
  }

  std::vector<int> MovedGroups() const {
    std::vector<int> moved;
    for (int g = 0; g < static_cast<int>(symmetry_->groups().size()); ++g) {
      const bool moves = std::any_of(
          elements_.begin(), elements_.end(),
          [&](const Alignment& element) { return element.UnitsMoved(g) > 0; });
      if (moves) moved.push_back(g);
    }
    return moved;
  }

  // The model's own weights may fail on random inputs. This run is only an
  // addition, so such a failure is ignored.
  void RunOwnWeights() {
    const Trial trial(graph_, usual_, run_.seed);
    for (const Alignment& element : elements_) {
      // In the model's own element type, the rounding of rescaled weights would
      // be visible.
      const Checkpoint before =
          element.HasFactors() ? ConvertTypes(model_, DType::kF64) : model_;
      report_.own |= Compare(trial, usual_, before, element);
    }
  }

  // Returns false if `before` does not give finite outputs.
  bool Compare(const Trial& trial, const std::vector<Shape>& shapes,
               const Checkpoint& before, const Alignment& element) {
    const Checkpoint after = Permute(before, element, run_);
    Outcome outcomes[2];
    ThreadPool pool(run_.threads);
    pool.For(2, [&](int64_t which) {
      outcomes[which] = RunTrial(trial, which == 0 ? before : after);
    });
    const auto& [outputs, error] = outcomes[0];
    if (!error.empty()) last_error_ = error;
    if (!error.empty() || !AllFinite(outputs)) return false;
    RecordDifferences(
        outcomes[1].error.empty()
            ? trial.Compare(outputs, outcomes[1].outputs)
            : trial.Compare(outputs, EmptyOutputs(outputs.size())),
        shapes);
    return true;
  }

  struct Outcome {
    std::vector<Array> outputs = {};
    std::string error = {};  // why an operator failed on its inputs
  };

  static Outcome RunTrial(const Trial& trial, const Checkpoint& weights) {
    try {
      return {.outputs = trial.Run(WeightsOf(weights))};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBadInput) throw;
      return {.error = error.what()};
    }
  }

  // Outputs that differ from all others.
  static std::vector<Array> EmptyOutputs(size_t outputs) {
    return std::vector<Array>(outputs, MakeArray(Kind::kFloat, {0}, {}));
  }

  void RecordDifferences(std::vector<OutputDifference> found,
                         const std::vector<Shape>& shapes) {
    ++report_.runs;
    auto& known = report_.input_shapes;
    if (std::find(known.begin(), known.end(), shapes) == known.end()) {
      known.push_back(shapes);
    }
    for (const OutputDifference& output : found) {
      report_.same &= output.difference <= options_.tolerance * output.largest;
    }
    if (report_.outputs.empty()) {
      report_.outputs = std::move(found);
      return;
    }
    for (size_t o = 0; o < found.size(); ++o) {
      const double worst = LargestRelative({report_.outputs[o]});
      if (LargestRelative({found[o]}) <= worst) continue;
      report_.outputs[o] = std::move(found[o]);
    }
  }

  // Runs one draw of random weights with one element of the group. Removes the
  // groups that this run sees from `unseen`.
  void RunDraw(const Subject& subject, int draw, Signs usual,
               std::vector<int>& unseen) {
    const uint64_t seed = run_.seed + 1000 * static_cast<uint64_t>(draw);
    const Trial trial(*subject.graph, subject.shapes, seed + 1, subject.choice);
    const bool full = subject.graph == &graph_;
    const Alignment element =
        full ? elements_[static_cast<size_t>(draw) % elements_.size()]
             : Alignment::Random(subject.symmetry, seed + 2);
    last_error_.clear();
    for (Signs signs : {usual, Signs::kAllPositive}) {
      const Checkpoint weights =
          GenericWeights(DescribedGraph(subject), positive_, signs, seed + 3);
      if (!Compare(trial, subject.shapes, weights, element)) continue;
      UpdateEnds(RunOf(subject, weights, seed + 1),
                 Permute(weights, element, run_), part_, ends_);
      const std::vector<int> hidden = FindUnseen(
          trial, weights, subject.symmetry, unseen, part_.late_weights,
          kVisible * options_.tolerance, seed + 4, run_.threads);
      RecordSeen(element, draw == 0, Without(unseen, hidden), unseen);
      return;
    }
    if (last_error_.empty()) {
      throw CannotRun{"the graph gives no finite outputs with random weights"};
    }
    throw CannotRun{"the graph does not run with random weights: " +
                    last_error_};
  }

  static std::vector<int> Without(std::vector<int> groups,
                                  const std::vector<int>& others) {
    std::erase_if(groups, [&](int g) {
      return std::find(others.begin(), others.end(), g) != others.end();
    });
    return groups;
  }

  // A random element may keep two groups that must move together in agreement
  // by chance, or may not move them at all. So groups that are seen in few runs
  // must be seen in several.
  void RecordSeen(const Alignment& element, bool is_first,
                  const std::vector<int>& seen, std::vector<int>& unseen) {
    const bool usually_seen =
        TestsOneElement() || (is_first && part_.is_late.empty());
    for (int g : seen) {
      evidence_[g] += EvidenceOf(element.symmetry().groups()[g]);
      if (element.UnitsMoved(g) > 0) moved_and_seen_.insert(g);
    }
    std::erase_if(unseen, [&](int g) {
      return moved_and_seen_.contains(g) &&
             (usually_seen || evidence_[g] >= kEnoughEvidence);
    });
  }

  PermutedRun RunOf(const Subject& subject, const Checkpoint& weights,
                    uint64_t seed) const {
    return {.graph = *subject.graph,
            .shapes = subject.shapes,
            .choice = subject.choice,
            .before = weights,
            .threshold = kVisible * options_.tolerance,
            .seed = seed};
  }

  // The groups that change ends without a visible effect: no run shows whether
  // the rest of the graph compensates for moving them.
  std::set<int> GroupsBehindHiddenEnds(const Subject& subject) const {
    const std::set<ValueId> hidden = ends_.Hidden();
    if (hidden.empty()) return {};
    const Checkpoint weights = GenericWeights(
        DescribedGraph(subject), positive_, Signs::kMixed, run_.seed + 3);
    const auto groups =
        GroupsThatChange(RunOf(subject, weights, run_.seed + 1), hidden,
                         subject.symmetry, MovedGroups());
    return {groups.begin(), groups.end()};
  }

  std::set<int> FindTieBreakers(const std::vector<Subject>& subjects) const {
    std::set<int> found;
    if (!MayHaveTies(graph_, usual_)) return found;
    const std::vector<int> moved = MovedGroups();
    for (int draw = 0; draw < options_.draws; ++draw) {
      for (const Subject& subject : subjects) {
        for (Signs signs : {Signs::kMixed, Signs::kAllPositive}) {
          found.merge(TieBreakersOf(subject, draw, signs, moved));
        }
      }
    }
    return found;
  }

  std::set<int> TieBreakersOf(const Subject& subject, int draw, Signs signs,
                              const std::vector<int>& moved) const {
    const uint64_t seed = run_.seed + 1000 * static_cast<uint64_t>(draw);
    const Checkpoint weights =
        GenericWeights(DescribedGraph(subject), positive_, signs, seed + 3);
    return rebasin::FindTieBreakers({.graph = *subject.graph,
                                     .shapes = subject.shapes,
                                     .choice = subject.choice,
                                     .weights = weights,
                                     .symmetry = subject.symmetry,
                                     .threshold = kVisible * options_.tolerance,
                                     .seed = seed + 1},
                                    moved);
  }

  const Graph& graph_;
  const Graph& whole_;
  const Checkpoint& model_;
  std::span<const Alignment> elements_;
  std::shared_ptr<const Symmetry> symmetry_;
  const VerifyOptions& options_;
  const rebasin::Run& run_;
  const std::set<std::string>& positive_;
  const StaticPart& part_;
  Ends ends_;
  std::map<int, double> evidence_;  // by group
  std::set<int> moved_and_seen_;    // in the same run
  std::vector<Shape> usual_;
  std::vector<SmallGraph> small_;
  std::shared_ptr<const Symmetry> small_symmetry_;
  VerifyReport report_;
  std::string last_error_;  // of the last run that failed
};

// The shapes with all open sizes multiplied by `times`.
std::vector<Shape> Enlarged(const Graph& graph, std::vector<Shape> shapes,
                            int64_t times) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& declared = graph.values()[graph.inputs()[i]].shape;
    for (size_t k = 0; k < shapes[i].size(); ++k) {
      if (declared[k] == kOpenSize) shapes[i][k] *= times;
    }
  }
  return shapes;
}

// With small inputs, indices that the graph computes may be out of range, and
// the coarsest level of a pyramid may be a single point, whose distances are 0
// / 0. So larger inputs are tried, too.
std::vector<std::vector<Shape>> LargerSizes(const Graph& graph,
                                            const std::vector<Shape>& small) {
  std::vector<std::vector<Shape>> sizes;
  for (const auto& others :
       {DefaultInputShapes(graph), Enlarged(graph, small, 2),
        Enlarged(graph, small, 4)}) {
    if (others != small && TryInfer(graph, others)) sizes.push_back(others);
  }
  return sizes;
}

// `graph`: that of the claim, or a part of it.
VerifyReport ProveAtSomeSizes(const Graph& graph, const Claim& claim) {
  const auto try_at = [&](const std::vector<Shape>& shapes) {
    return Proof(graph, claim, shapes).Run();
  };
  const std::vector<Shape> small = SmallInputShapes(graph);
  CannotRun first;
  try {
    return try_at(small);
  } catch (const CannotRun& reason) {
    first = reason;
  }
  for (const std::vector<Shape>& shapes : LargerSizes(graph, small)) {
    try {
      return try_at(shapes);
    } catch (const CannotRun&) {
      continue;
    }
  }
  throw first;
}

bool AllShapesKnown(const Graph& graph, const std::vector<Shape>& shapes) {
  const Inference inference = Infer(graph, shapes);
  for (const Node& node : graph.nodes()) {
    for (ValueId id : node.outputs) {
      if (id != kNoValue && !inference.types[id].known) return false;
    }
  }
  return true;
}

StaticPart StaticPartOf(const Claim& claim) {
  const std::vector<Shape> small = SmallInputShapes(claim.graph);
  if (AllShapesKnown(claim.graph, small)) return {};
  const Traces traces(claim.graph, small);
  return FindStaticPart(claim.graph, traces.inferences(),
                        claim.elements[0].symmetry());
}

std::optional<VerifyReport> ProvePart(const Graph& part, const Claim& claim) {
  try {
    VerifyReport report = ProveAtSomeSizes(part, claim);
    report.part = true;
    return report;
  } catch (const CannotRun&) {
    return std::nullopt;
  }
}

// If the part does not prove the claim, the whole graph may: the values that
// enter the rest may be permuted without changing the outputs. If the whole
// graph cannot run either, different values are all that is known.
VerifyReport Prove(Claim claim) {
  StaticPart part = StaticPartOf(claim);
  std::optional<VerifyReport> by_part;
  if (part.graph) by_part = ProvePart(*part.graph, claim);
  if (by_part && by_part->proved()) return *std::move(by_part);
  claim.part = std::move(part);
  try {
    return ProveAtSomeSizes(claim.graph, claim);
  } catch (const CannotRun& reason) {
    if (!by_part || by_part->same) throw;
    by_part->cannot_run = reason.why;
    return *std::move(by_part);
  }
}

}  // namespace

void CheckFits(const Graph& graph, const Checkpoint& model) {
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    const Tensor* tensor = model.Find(weight.name);
    if (tensor == nullptr) {
      throw Error(
          ErrorCode::kMismatch,
          "the graph's weight " + Quoted(weight.name) + " is not in the model");
    }
    if (tensor->shape != weight.shape) {
      throw Error(ErrorCode::kMismatch,
                  "weight " + Quoted(weight.name) +
                      ": the graph expects shape " + ShapeText(weight.shape) +
                      ", the model has " + ShapeText(tensor->shape));
    }
    if (!IsArithmetic(tensor->dtype)) {
      throw Error(ErrorCode::kUnsupported,
                  "weight " + Quoted(weight.name) + " has element type " +
                      std::string(DTypeName(tensor->dtype)) +
                      ", which arithmetic does not support");
    }
  }
}

VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    std::span<const Alignment> elements,
                    const VerifyOptions& options, const Run& run) {
  CheckFits(graph, model);
  try {
    return Prove({.graph = graph,
                  .model = model,
                  .elements = elements,
                  .options = options,
                  .run = run,
                  .positive = FindPositiveWeights(graph, model, run.threads)});
  } catch (const CannotRun& reason) {
    throw Error(ErrorCode::kUnsupported, reason.why);
  }
}

VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    const Alignment& alignment, const VerifyOptions& options,
                    const Run& run) {
  return Verify(graph, model, std::span(&alignment, 1), options, run);
}

}  // namespace rebasin
