#include "match/many/many_rounds.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "match/many/many_annealing.h"
#include "match/problem.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Rounds without a smaller spread after which a custom step is stopped.
constexpr int kPatience = 3;

bool SameGroups(const Symmetry& x, const Symmetry& y) {
  return std::equal(x.groups().begin(), x.groups().end(), y.groups().begin(),
                    y.groups().end(), [](const Group& a, const Group& b) {
                      return a.name == b.name && a.size == b.size &&
                             a.parent == b.parent;
                    });
}

// The state with the smallest spread after a round.
struct Best {
  std::vector<Alignment> alignments;
  double spread = 0;
  int round = 0;

  void Keep(const ManyRounds& rounds, double now, int number) {
    if (!alignments.empty() && now >= spread) return;
    *this = {rounds.Alignments(), now, number};
  }
};

// True if the last round gained too little to continue.
bool IsLevel(const std::vector<double>& spreads, double min_gain) {
  const double last = spreads[spreads.size() - 2] - spreads.back();
  return last < min_gain * (spreads.front() - spreads.back());
}

// With weight matching the spread falls with every move, so rounds end by
// themselves and the last state is the best. A custom step may raise the spread
// or cycle, so rounds end when nothing moves or the spread had no new minimum
// for some rounds, and the state with the minimum is returned.
bool IsOver(const ManyResult& result, const Best& best, int moved,
            const ManyOptions& options) {
  if (moved == 0) return true;
  if (options.step) return result.rounds - best.round >= kPatience;
  return IsLevel(result.spread_by_round, options.min_gain);
}

// Joining compares a model with fewer than all others, so a second round is
// needed to see whether anything is left to improve. Only then annealing is
// worth its time.
enum class Stage { kJoin, kRound, kAnneal };

Stage StageOf(int round, bool joins, const ManyOptions& options) {
  if (joins && round == 0) return Stage::kJoin;
  if (joins && round == 2 && !options.step) return Stage::kAnneal;
  return Stage::kRound;
}

int RunStage(Stage stage, ManyRounds& rounds) {
  switch (stage) {
    case Stage::kJoin:
      return rounds.JoinOneByOne();
    case Stage::kAnneal:
      return rounds.Anneal();
    case Stage::kRound:
      break;
  }
  return rounds.Round();
}

void RunRounds(ManyRounds& rounds, bool joins, const ManyOptions& options,
               const Run& run, ManyResult& result) {
  Best best{.alignments = {}, .spread = 0, .round = 0};
  result.spread_by_round.push_back(rounds.Spread());
  while (result.rounds < options.max_rounds && !result.converged) {
    const Stage stage = StageOf(result.rounds, joins, options);
    const int moved = RunStage(stage, rounds);
    ++result.rounds;
    result.spread_by_round.push_back(rounds.Spread());
    best.Keep(rounds, result.spread_by_round.back(), result.rounds);
    result.converged =
        stage == Stage::kRound && IsOver(result, best, moved, options);
    run.Report("round " + std::to_string(result.rounds), moved,
               static_cast<int64_t>(rounds.size()));
  }
  result.alignments =
      best.alignments.empty() ? rounds.Alignments() : best.alignments;
}

}  // namespace

ManyRounds::ManyRounds(const ManyModels& models, const ManyOptions& options,
                       const Run& run, ThreadPool& pool)
    : models_(models),
      options_(options),
      run_(run.WithoutProgress()),
      pool_(pool),
      random_(run.seed),
      sum_(models.models[0], *models.symmetry, pool) {
  const auto matched = MatchedPieces(models.models[0], *models.symmetry);
  for (const Checkpoint& model : models.models) {
    squares_ += SquaredNorm(model, matched, pool);
  }
  StartAt(std::vector<Alignment>(size(), Alignment(models.symmetry)));
}

void ManyRounds::StartAt(const std::vector<Alignment>& alignments) {
  standings_.clear();
  current_.clear();
  sum_.Clear();
  for (size_t m = 0; m < size(); ++m) {
    standings_.push_back({.alignment = alignments[m]});
    current_.push_back(Permute(models_.models[m], alignments[m], run_));
    sum_.Add(current_[m], 1);
  }
}

int ManyRounds::JoinOneByOne() {
  const double before = Spread();
  sum_.Clear();
  sum_.Add(current_[0], 1);
  int moved = 0;
  for (size_t m = 1; m < size(); ++m) {
    sum_.Add(current_[m], 1);
    moved += Join(m) ? 1 : 0;
  }
  if (options_.step || Spread() <= before) return moved;
  StartAt(std::vector<Alignment>(size(), Alignment(models_.symmetry)));
  return 0;
}

int ManyRounds::Anneal() {
  const std::vector<Alignment> before = Alignments();
  const double spread = Spread();
  StartAt(ManyAnnealing(models_, pool_).Run());
  Round();
  if (Spread() >= spread) {
    StartAt(before);
    return 0;
  }
  int moved = 0;
  for (size_t m = 0; m < size(); ++m) {
    moved += standings_[m].alignment == before[m] ? 0 : 1;
  }
  return moved;
}

int ManyRounds::Round() {
  std::vector<size_t> order(size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (options_.match.random_order) random_.Shuffle(std::span(order));
  int moved = 0;
  for (const size_t m : order) moved += Improve(m) ? 1 : 0;
  return moved;
}

// Matches the model to the mean of the models before it.
bool ManyRounds::Join(size_t m) {
  const Checkpoint& target =
      sum_.Without(current_[m], 1.0 / static_cast<double>(m));
  if (options_.step) return ImproveBy(options_.step, target, m);
  const MatchResult found =
      MatchWeights(target, current_[m], models_.symmetry, options_.match, run_);
  return MoveTo(m, standings_[m].alignment.Then(found.alignment));
}

bool ManyRounds::Improve(size_t m) {
  const Checkpoint& target =
      sum_.Without(current_[m], 1.0 / static_cast<double>(size() - 1));
  if (options_.step) return ImproveBy(options_.step, target, m);
  const Problem problem(target, models_.models[m], models_.symmetry, pool_);
  Standing standing = standings_[m];
  Rematch(problem, options_.match, run_, pool_, standing);
  standings_[m].duals = std::move(standing.duals);
  return MoveTo(m, standing.alignment);
}

bool ManyRounds::ImproveBy(const ManyStep& step, const Checkpoint& target,
                           size_t m) {
  const Alignment found = step(target, current_[m]);
  if (!SameGroups(found.symmetry(), *models_.symmetry)) {
    throw Error(ErrorCode::kUsage,
                "the custom step returned an alignment of another symmetry");
  }
  return MoveTo(m, standings_[m].alignment.Then(found));
}

bool ManyRounds::MoveTo(size_t m, const Alignment& alignment) {
  if (alignment == standings_[m].alignment) return false;
  sum_.Add(current_[m], -1);
  standings_[m].alignment = alignment;
  current_[m] = Permute(models_.models[m], alignment, run_);
  sum_.Add(current_[m], 1);
  return true;
}

// Sum of |x - mean|^2 = sum of |x|^2 - |sum of x|^2 / n.
double ManyRounds::Spread() const {
  const auto n = static_cast<double>(size());
  return std::max(0.0, squares_ - sum_.SquaredNorm() / n);
}

std::vector<Alignment> ManyRounds::Alignments() const {
  std::vector<Alignment> alignments;
  for (const Standing& standing : standings_) {
    alignments.push_back(standing.alignment);
  }
  return alignments;
}

ManyResult MergeMany(const ManyModels& models, const ManyOptions& options,
                     const Run& run, ThreadPool& pool) {
  ManyRounds rounds(models, options, run, pool);
  ManyResult result;
  RunRounds(rounds, /*joins=*/true, options, run, result);
  return result;
}

ManyResult ContinueRounds(const ManyModels& models,
                          const std::vector<Alignment>& alignments,
                          const ManyOptions& options, const Run& run,
                          ThreadPool& pool) {
  ManyRounds rounds(models, options, run, pool);
  rounds.StartAt(alignments);
  ManyResult result;
  RunRounds(rounds, /*joins=*/false, options, run, result);
  return result;
}

}  // namespace rebasin
