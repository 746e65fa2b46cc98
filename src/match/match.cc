#include "rebasin/match.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "match/cost_memory.h"
#include "match/costs/gram.h"
#include "match/descent/descent.h"
#include "match/problem.h"
#include "match/scaled/balance.h"
#include "match/soft/anneal.h"
#include "match/state/match_state.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The result of one start and its descent.
struct Outcome {
  Alignment alignment;
  double objective = 0;
  std::vector<double> term_values = {};
  std::string start;
  std::vector<double> objective_by_pass = {};
  bool converged = false;
};

class Matcher {
 public:
  Matcher(const Problem& problem, const MatchOptions& options,
          const rebasin::Run& run, ThreadPool& pool)
      : problem_(problem),
        options_(options),
        run_(run),
        pool_(pool),
        grams_(pool),
        random_(run.seed),
        descent_(problem, pool, grams_,
                 MemoryForCosts(problem, options, pool)) {
    descent_.visiting = [this](int tree) { Begin(tree); };
    descent_.visited = [this] { Tick(); };
    if (!options.state_file.empty()) KeepState();
  }

  Outcome Run() {
    if (options_.greedy) {
      Stage("greedy", descent_.trees());
      descent_.StartGreedy();
      Outcome outcome = Finish("greedy");
      outcome.converged = true;
      return outcome;
    }
    Outcome best = options_.resume ? Resumed() : FromStart(options_.start);
    for (int r = 0; r < options_.restarts; ++r) {
      Keep(best, Restart(r + 1, best.alignment));
    }
    return best;
  }

  Outcome FromIdentity() {
    at_ = {};
    descent_.StartAt(Alignment(problem_.symmetry()));
    return Descend("identity");
  }

  Outcome FromGiven() {
    if (options_.from == nullptr) {
      throw Error(ErrorCode::kUsage, "the given start needs an alignment");
    }
    at_ = {};
    descent_.StartAt(*options_.from);
    return Descend("given");
  }

  // What follows is not part of the state: it is short, or begins again.
  void EndState() { state_.reset(); }

  const GramBuilder& grams() const { return grams_; }

 private:
  // Costs that are kept are part of the state, so they must be few.
  static constexpr int64_t kMostSavedCosts = int64_t{256} << 20;

  static int64_t MemoryForCosts(const Problem& problem,
                                const MatchOptions& options, ThreadPool& pool) {
    const int64_t memory = CostMemory(problem, options, pool);
    return options.state_file.empty() ? memory
                                      : std::min(memory, kMostSavedCosts);
  }

  void KeepState() {
    descent_.KeepOnlyWhatIsSaved();
    state_.emplace(options_.state_file,
                   DescribeMatching(problem_, options_, run_.seed),
                   options_.state_seconds);
    descent_.matched = [this] { SaveState(); };
  }

  void SaveState() {
    if (state_) state_->Offer(descent_, at_);
  }

  Outcome Resumed() {
    const char* name = options_.start == MatchStart::kAnchored   ? "anchored"
                       : options_.start == MatchStart::kIdentity ? "identity"
                                                                 : "given";
    at_ = state_->Load(descent_);
    if (at_.in_start && options_.start == MatchStart::kAnchored) {
      Stage("start", descent_.trees());
      progress_.done = static_cast<int64_t>(descent_.order().size());
      descent_.ContinueAnchored();
    }
    // The orders of earlier passes were drawn before.
    for (int pass = 1; pass < at_.pass; ++pass) Order();
    return Descend(name);
  }

  Outcome FromStart(MatchStart start) {
    switch (start) {
      case MatchStart::kIdentity:
        return FromIdentity();
      case MatchStart::kAnchored:
        return Anchored(nullptr, "anchored");
      case MatchStart::kAnnealed:
        return Annealed();
      case MatchStart::kGiven:
        return FromGiven();
      case MatchStart::kBest:
        break;
    }
    Outcome best = Anchored(nullptr, "anchored");
    Keep(best, Annealed());
    return best;
  }

  // Restarts from the identity differ only by their random order, as in the
  // paper. Other restarts alternate between an anchored start in random order,
  // and the best alignment so far with half of its trees scrambled.
  Outcome Restart(int number, const Alignment& best) {
    const std::string name = "restart " + std::to_string(number);
    at_ = {};
    if (options_.start == MatchStart::kIdentity) {
      descent_.StartAt(Alignment(problem_.symmetry()));
    } else if (number % 2 == 1) {
      return Anchored(&random_, name);
    } else {
      descent_.StartAt(Scrambled(best));
    }
    return Descend(name);
  }

  Alignment Scrambled(Alignment alignment) {
    const auto other = Alignment::Random(problem_.symmetry(), random_.Next());
    const Symmetry& symmetry = *problem_.symmetry();
    std::vector<bool> scramble(symmetry.groups().size());
    for (int root : problem_.roots()) scramble[root] = random_.Below(2) == 0;
    for (size_t g = 0; g < scramble.size(); ++g) {
      const int group = static_cast<int>(g);
      if (!scramble[symmetry.Root(group)]) continue;
      for (int64_t c = 0; c < symmetry.Copies(group); ++c) {
        const auto units = other.permutation(group, c);
        std::copy(units.begin(), units.end(),
                  alignment.mutable_permutation(group, c).begin());
      }
    }
    return alignment;
  }

  Outcome Anchored(Random* random, const std::string& name) {
    at_ = {};
    Stage("start", descent_.trees());
    descent_.StartAnchored(random);
    return Descend(name);
  }

  Outcome Annealed() {
    const std::vector<int> order = descent_.AnchoredOrder();
    const AnnealOptions anneal{.visited = [this] { Tick(); }};
    Stage("annealing", descent_.trees() * anneal.most_sweeps);
    const Alignment start = Anneal(problem_, order, anneal, pool_);
    at_ = {};
    descent_.StartAt(start);
    return Descend("annealed");
  }

  // From the position on.
  Outcome Descend(const std::string& start) {
    at_.in_start = false;
    bool converged = false;
    for (; at_.pass <= options_.max_passes && !converged; ++at_.pass) {
      Stage("pass " + std::to_string(at_.pass), descent_.trees());
      Pass(Order());
      converged = at_.gain == 0;
      at_.gains.push_back(at_.gain);
      at_.gain = 0;
      at_.next = 0;
    }
    Outcome outcome = Finish(start);
    outcome.converged = converged;
    outcome.objective_by_pass = Backwards(outcome.objective, at_.gains);
    return outcome;
  }

  void Pass(const std::vector<int>& order) {
    progress_.done = at_.next;
    while (at_.next < static_cast<int64_t>(order.size())) {
      at_.gain += descent_.Visit(order[static_cast<size_t>(at_.next)]);
      ++at_.next;
      SaveState();
    }
  }

  Outcome Finish(const std::string& start) const {
    Outcome outcome{.alignment = descent_.alignment(), .start = start};
    outcome.term_values = problem_.TermValues(outcome.alignment, pool_);
    outcome.objective = std::accumulate(outcome.term_values.begin(),
                                        outcome.term_values.end(), 0.0);
    return outcome;
  }

  // The objective is computed once, at the end, since it costs a pass over all
  // weights. Subtracting the gain of each pass gives the earlier values.
  static std::vector<double> Backwards(double objective,
                                       const std::vector<double>& gains) {
    std::vector<double> objectives(gains.size() + 1, objective);
    for (size_t p = gains.size(); p-- > 0;) {
      objectives[p] = objectives[p + 1] - gains[p];
    }
    return objectives;
  }

  std::vector<int> Order() {
    std::vector<int> order = descent_.order();
    if (options_.random_order) random_.Shuffle(std::span<int>(order));
    std::erase_if(order, [this](int tree) { return IsKept(tree); });
    return order;
  }

  bool IsKept(int tree) const {
    const int root = problem_.roots()[tree];
    return std::any_of(
        options_.keep.begin(), options_.keep.end(),
        [&](int group) { return problem_.symmetry()->Root(group) == root; });
  }

  static void Keep(Outcome& best, Outcome other) {
    if (other.objective > best.objective) best = std::move(other);
  }

  void Stage(const std::string& name, int64_t total) {
    progress_ = {.stage = "matching: " + name, .done = 0, .total = total};
    begun_ = Clock::now();
    done_before_ = -1;
    group_.clear();
    Report();
  }

  void Begin(int tree) {
    if (done_before_ < 0) done_before_ = progress_.done;
    const auto root =
        static_cast<size_t>(problem_.roots()[static_cast<size_t>(tree)]);
    group_ = ", " + Printable(problem_.symmetry()->groups()[root].name);
    Report();
  }

  void Tick() {
    ++progress_.done;
    Report();
  }

  // "matching: pass 1, layers.3.mlp, about 2 min left".
  void Report() const {
    if (!run_.progress) return run_.CheckStop();
    constexpr double kWorthSaying = 5;
    const double left = SecondsLeft();
    const std::string time =
        left >= kWorthSaying ? ", about " + HumanSeconds(left) + " left" : "";
    run_.Report(progress_.stage + group_ + time, progress_.done,
                progress_.total);
  }

  // Of the stage.
  double SecondsLeft() const {
    const int64_t done = progress_.done - std::max<int64_t>(0, done_before_);
    if (done <= 0) return -1;
    return SecondsSince(begun_) / static_cast<double>(done) *
           static_cast<double>(progress_.total - progress_.done);
  }

  const Problem& problem_;
  const MatchOptions& options_;
  const rebasin::Run& run_;
  ThreadPool& pool_;
  GramBuilder grams_;
  Random random_;
  Descent descent_;
  MatchPosition at_;
  std::optional<MatchStateFile> state_;
  Progress progress_;
  std::string group_;                       // that is matched
  Clock::time_point begun_ = Clock::now();  // of the stage
  int64_t done_before_ = -1;  // steps of the stage before it began; -1: unknown
};

// Replaces a result that is no better than the identity by the identity.
void PreferIdentity(const Problem& problem, Matcher& matcher,
                    Outcome& outcome) {
  double identity = 0, scale = 0;
  for (const TensorPair& pair : problem.tensors()) {
    identity += pair.dot;
    scale += pair.norm_a * pair.norm_b;
  }
  const double tolerance = 0x1p-23 * scale;
  if (outcome.objective < identity - tolerance) {
    outcome = matcher.FromIdentity();
  }
  if (outcome.objective <= identity + tolerance) {
    outcome.alignment = Alignment(problem.symmetry());
    outcome.objective = identity;
    outcome.term_values.clear();
  }
}

// `values` are the contributions of the terms under the alignment.
void ReportTensors(const Problem& problem, const std::vector<double>& values,
                   MatchReport& report) {
  for (const TensorPair& pair : problem.tensors()) {
    report.tensors.push_back({.name = pair.name,
                              .norm_a = pair.norm_a,
                              .norm_b = pair.norm_b,
                              .dot_before = pair.dot});
  }
  for (size_t t = 0; t < values.size(); ++t) {
    report.tensors[problem.terms()[t].tensor].dot_after += values[t];
  }
}

void AddUp(MatchReport& report) {
  double aa = 0, bb = 0;
  for (const TensorMatch& match : report.tensors) {
    report.objective_before += match.dot_before;
    report.objective_after += match.dot_after;
    aa += match.norm_a * match.norm_a;
    bb += match.norm_b * match.norm_b;
  }
  report.norm_a = std::sqrt(aa);
  report.norm_b = std::sqrt(bb);
}

// `values` may be empty; missing values are computed.
MatchReport Describe(const Problem& problem, const Alignment& alignment,
                     std::vector<double> values, ThreadPool& pool) {
  MatchReport report;
  report.already_aligned = alignment.IsIdentity();
  if (values.empty() && !report.already_aligned) {
    values = problem.TermValues(alignment, pool);
  }
  ReportTensors(problem, values, report);
  if (report.already_aligned) {
    for (TensorMatch& match : report.tensors)
      match.dot_after = match.dot_before;
  }
  AddUp(report);
  for (size_t g = 0; g < problem.symmetry()->groups().size(); ++g) {
    report.units_moved.push_back(alignment.UnitsMoved(static_cast<int>(g)));
  }
  return report;
}

void CheckModels(const Checkpoint& a, const Checkpoint& b,
                 const Symmetry& symmetry) {
  CheckSameStructure(a, b);
  symmetry.CheckFits(a, {.allow_uncovered = true});
}

void CheckState(const MatchOptions& options) {
  const bool descends = options.start == MatchStart::kAnchored ||
                        options.start == MatchStart::kIdentity ||
                        options.start == MatchStart::kGiven;
  if (options.state_file.empty()) {
    if (!options.resume) return;
    throw Error(ErrorCode::kUsage, "resuming needs a state file");
  }
  if (descends && options.restarts == 0 && !options.greedy) return;
  throw Error(ErrorCode::kUsage,
              "a state can be kept for the starts anchored and identity "
              "without restarts, not for this matching");
}

Paging PagingOf(const MatchOptions& options) {
  return options.memory > 0 ? Paging::kAlways : Paging::kIfLarge;
}

double Distance(double norm_a, double norm_b, double dot) {
  return std::sqrt(std::max(0.0, norm_a * norm_a + norm_b * norm_b - 2 * dot));
}

}  // namespace

double TensorMatch::DistanceBefore() const {
  return Distance(norm_a, norm_b, dot_before);
}

double TensorMatch::DistanceAfter() const {
  return Distance(norm_a, norm_b, dot_after);
}

MatchResult MatchWeights(const Checkpoint& a, const Checkpoint& b,
                         std::shared_ptr<const Symmetry> symmetry,
                         const MatchOptions& options, const Run& run) {
  const auto start = Clock::now();
  CheckState(options);
  CheckModels(a, b, *symmetry);
  ThreadPool pool(run);
  // Says at once what does not fit, before anything is read.
  if (options.memory > 0) {
    CostMemory(Problem::OfShapes(a, symmetry), options, pool);
  }
  const Problem problem(a, b, symmetry, pool, PagingOf(options));
  std::optional<Problem> balanced;
  if (options.balance) {
    balanced.emplace(Balanced(a, *symmetry, pool), Balanced(b, *symmetry, pool),
                     symmetry, pool);
  }
  const Problem& matched = balanced ? *balanced : problem;

  Matcher matcher(matched, options, run, pool);
  Outcome outcome = matcher.Run();
  matcher.EndState();
  if (!options.greedy && options.start != MatchStart::kGiven) {
    PreferIdentity(matched, matcher, outcome);
  }
  if (balanced) outcome.term_values.clear();

  MatchReport report = Describe(problem, outcome.alignment,
                                std::move(outcome.term_values), pool);
  report.objective_by_pass = outcome.objective_by_pass;
  report.start = outcome.start;
  report.passes =
      std::max(0, static_cast<int>(outcome.objective_by_pass.size()) - 1);
  report.converged = outcome.converged;
  report.gemm_seconds = matcher.grams().seconds();
  report.gemm_flops = matcher.grams().flops();
  report.seconds = SecondsSince(start);
  return {std::move(outcome.alignment), std::move(report)};
}

MatchReport DescribeAlignment(const Checkpoint& a, const Checkpoint& b,
                              const Alignment& alignment, const Run& run) {
  CheckModels(a, b, alignment.symmetry());
  ThreadPool pool(run);
  const Problem problem(a, b, alignment.shared_symmetry(), pool);
  return Describe(problem, alignment, {}, pool);
}

}  // namespace rebasin
