#include "match/many/frank_wolfe.h"

#include <algorithm>
#include <string>
#include <utility>

#include "match/costs/gram.h"
#include "match/costs/tree_costs.h"
#include "match/descent/tree_solver.h"
#include "match/many/step_polynomial.h"
#include "match/problem.h"
#include "match/soft/soft_term.h"

namespace rebasin {
namespace {

// Elements of a term that one thread processes at a time.
constexpr int64_t kPiece = int64_t{1} << 14;

double Dot(const std::vector<float>& x, const std::vector<float>& y) {
  constexpr size_t kLanes = 8;
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= x.size(); i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      lanes[l] += static_cast<double>(x[i + l]) * y[i + l];
    }
  }
  for (; i < x.size(); ++i) lanes[0] += static_cast<double>(x[i]) * y[i];
  double sum = 0;
  for (double lane : lanes) sum += lane;
  return sum;
}

// The squared norm of the sum over k of t^k (1 - t)^(s - k) v[k], times
// `factor`.
void AddSquare(const std::vector<std::vector<float>>& v, double factor,
               std::vector<double>& coefficients) {
  coefficients.resize(2 * v.size() - 1);
  for (size_t a = 0; a < v.size(); ++a) {
    coefficients[2 * a] += factor * Dot(v[a], v[a]);
    for (size_t b = 0; b < a; ++b) {
      coefficients[a + b] += 2 * factor * Dot(v[a], v[b]);
    }
  }
}

void AddTo(std::vector<float>& sum, std::span<const float> x) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

// One term of the objective, in all models.
struct SharedTerm {
  int term = 0;  // of the problem
  Block block;   // dense
  std::vector<SoftTerm> models;
  std::vector<float> sum;  // over models, softened in all slots

  void Sum() {
    const SoftTerm::SlotSet all = models[0].all();
    sum.assign(static_cast<size_t>(block.size()), 0.0f);
    for (const SoftTerm& model : models) AddTo(sum, model.Softened(all));
  }

  // The sum over all other models.
  std::vector<float> SumWithout(size_t model) const {
    std::vector<float> rest = sum;
    const auto mine = models[model].Softened(models[model].all());
    for (size_t i = 0; i < rest.size(); ++i) rest[i] -= mine[i];
    return rest;
  }
};

// The costs and the duals of one tree of one model.
struct ModelTree {
  size_t model = 0;
  TreeCosts costs;
  AssignmentDuals duals;
};

class FrankWolfe {
 public:
  FrankWolfe(std::span<const Checkpoint> models,
             std::shared_ptr<const Symmetry> symmetry,
             std::span<const SoftStart> starts, ThreadPool& pool)
      : problem_(models[0], models[0], symmetry, pool),
        starts_(starts.begin(), starts.end()),
        pool_(pool) {
    AddTerms(models);
    for (size_t m = 0; m < models.size(); ++m) {
      for (size_t tree = 0; tree < problem_.roots().size(); ++tree) {
        trees_.push_back({.model = m,
                          .costs = TreeCosts(problem_, static_cast<int>(tree),
                                             TreeCosts::Quadratic::kAsLinear),
                          .duals = {}});
      }
    }
  }

  FrankWolfeOutcome Run(const FrankWolfeOptions& options) {
    FrankWolfeOutcome outcome;
    const double scale = Scale();
    for (int step = 0; step < options.max_steps; ++step) {
      const std::vector<Alignment> targets = Targets();
      const StepPolynomial along = ObjectiveAlong(targets);
      const double t = along.BestStep();
      const double before = along.Value(0), after = along.Value(t);
      if (outcome.objective_by_step.empty()) {
        outcome.objective_by_step.push_back(before);
      }
      Step(targets, t);
      outcome.objective_by_step.push_back(after);
      if (options.progress) options.progress(step, after);
      if (after - before <= options.min_gain * scale) break;
    }
    outcome.alignments = Project();
    return outcome;
  }

 private:
  // A vertex of an earlier step, and its weight in the current point.
  struct Atom {
    std::vector<Alignment> alignments;  // by model
    double share = 0;
  };

  size_t models() const { return starts_.size(); }

  void AddTerms(std::span<const Checkpoint> models) {
    shared_of_.assign(problem_.terms().size(), -1);
    for (size_t t = 0; t < problem_.terms().size(); ++t) {
      const Block& block = problem_.terms()[t].block;
      // Blocks without groups are the same for every choice.
      if (PermutableSlots(block) == 0) continue;
      shared_of_[t] = static_cast<int>(terms_.size());
      terms_.push_back({.term = static_cast<int>(t),
                        .block = DenseBlock(block),
                        .models = {},
                        .sum = {}});
    }
    pool_.For(static_cast<int64_t>(terms_.size()), [&](int64_t t) {
      AddModels(models, terms_[t]);
      terms_[t].Sum();
    });
  }

  void AddModels(std::span<const Checkpoint> models, SharedTerm& shared) const {
    const Term& term = problem_.terms()[shared.term];
    const std::string& name = problem_.tensors()[term.tensor].name;
    for (size_t m = 0; m < models.size(); ++m) {
      const float* data = FloatsInPlace(*models[m].Find(name)).data();
      shared.models.emplace_back(term.block, data + term.block.offset,
                                 starts_[m].alignment, starts_[m].softness);
    }
  }

  // The permutations with the largest inner product with the gradient.
  std::vector<Alignment> Targets() {
    std::vector<Alignment> targets(models(), Alignment(problem_.symmetry()));
    pool_.For(static_cast<int64_t>(trees_.size()), [&](int64_t i) {
      ModelTree& tree = trees_[i];
      ComputeGradient(tree);
      SolveTree(tree.costs.root(), tree.costs.parts(), pool_,
                targets[tree.model], tree.duals);
      tree.costs.Release();
    });
    return targets;
  }

  void ComputeGradient(ModelTree& tree) {
    GramBuilder grams(pool_);
    tree.costs.Recompute(
        [&](const Occurrence& where, const CostTarget& target) {
          const SharedTerm& shared = terms_[shared_of_[where.term]];
          const SoftTerm& mine = shared.models[tree.model];
          const std::vector<float> others = shared.SumWithout(tree.model);
          const SoftTerm::SlotSet rest =
              mine.all() & ~(SoftTerm::SlotSet{1} << where.slot);
          std::vector<Contraction> contractions;
          for (size_t s = 0; s < shared.block.slots.size(); ++s) {
            if (static_cast<int>(s) == where.slot) continue;
            const auto offsets = Offsets(shared.block.slots[s]);
            contractions.push_back({.a = offsets, .b = offsets});
          }
          grams.Accumulate({.tensor = 0,
                            .a = others.data(),
                            .b = mine.Softened(rest).data(),
                            .block = shared.block},
                           where.slot, contractions, target);
        });
  }

  // F along the step of all models towards their targets.
  StepPolynomial ObjectiveAlong(const std::vector<Alignment>& targets) const {
    struct Piece {
      const SharedTerm* term;
      int64_t begin, count;
    };
    std::vector<Piece> pieces;
    for (const SharedTerm& term : terms_) {
      const int64_t rows = term.models[0].rows();
      const int64_t step =
          std::max<int64_t>(1, kPiece / term.models[0].row_size());
      for (int64_t r = 0; r < rows; r += step) {
        pieces.push_back({&term, r, std::min(step, rows - r)});
      }
    }
    std::vector<std::vector<double>> values(pieces.size());
    pool_.For(static_cast<int64_t>(pieces.size()), [&](int64_t p) {
      values[p] = PieceAlong(*pieces[p].term, pieces[p].begin, pieces[p].count,
                             targets);
    });
    StepPolynomial sum;
    for (const std::vector<double>& value : values) sum.Add(value);
    return sum;
  }

  static std::vector<double> PieceAlong(const SharedTerm& term, int64_t begin,
                                        int64_t count,
                                        const std::vector<Alignment>& targets) {
    std::vector<double> value;
    std::vector<std::vector<float>> one, all;
    for (size_t m = 0; m < targets.size(); ++m) {
      term.models[m].StepCoefficients(targets[m], begin, count, one);
      AddSquare(one, -0.5, value);
      if (m == 0) {
        all = one;
      } else {
        for (size_t k = 0; k < all.size(); ++k) AddTo(all[k], one[k]);
      }
    }
    AddSquare(all, 0.5, value);
    return value;
  }

  void Step(const std::vector<Alignment>& targets, double t) {
    const auto count = static_cast<int64_t>(models());
    pool_.For(static_cast<int64_t>(terms_.size()) * count, [&](int64_t i) {
      const auto m = static_cast<size_t>(i % count);
      terms_[i / count].models[m].Step(targets[m], t);
    });
    pool_.For(static_cast<int64_t>(terms_.size()),
              [&](int64_t i) { terms_[i].Sum(); });
    start_share_ *= 1 - t;
    for (Atom& atom : atoms_) atom.share *= 1 - t;
    atoms_.push_back({targets, t});
  }

  // The nearest permutations: an assignment with the soft matrices as costs.
  // The matrices are computed from the vertices only here.
  std::vector<Alignment> Project() {
    std::vector<Alignment> projected(models(), Alignment(problem_.symmetry()));
    pool_.For(static_cast<int64_t>(trees_.size()), [&](int64_t i) {
      ModelTree& tree = trees_[i];
      std::vector<CostPart> parts = Chains(tree.costs.parts());
      for (CostPart& part : parts) FillSoftMatrix(tree.model, part);
      AssignmentDuals duals;
      SolveTree(tree.costs.root(), parts, pool_, projected[tree.model], duals);
    });
    return projected;
  }

  // Soft matrices of siblings that meet would be too large, so each sibling's
  // own matrix is used.
  std::vector<CostPart> Chains(std::span<const CostPart> parts) const {
    std::vector<CostPart> chains;
    for (const CostPart& part : parts) {
      if (!part.factors) {
        chains.push_back({.slot = part.slot, .gram = {}});
        continue;
      }
      for (Slot& chain : ChainsOf(part.slot, *problem_.symmetry())) {
        chains.push_back({.slot = std::move(chain), .gram = {}});
      }
    }
    return chains;
  }

  // Leaves out the part that all entries have in common.
  void FillSoftMatrix(size_t model, CostPart& part) const {
    part.gram.assign(part.n() * part.n(), 0.0f);
    const auto add = [&](const Alignment& alignment, double share) {
      const std::vector<int64_t> at = Offsets(part.slot, alignment);
      for (int64_t i = 0; i < part.n(); ++i) {
        part.gram[i * part.n() + at[i]] += static_cast<float>(share);
      }
    };
    const SoftStart& start = starts_[model];
    add(start.alignment, start_share_ * (1 - start.softness));
    for (const Atom& atom : atoms_) add(atom.alignments[model], atom.share);
  }

  // The value of F if all models were equal.
  double Scale() const {
    double squares = 0;
    for (const SharedTerm& term : terms_) {
      for (const SoftTerm& model : term.models) {
        const auto w = model.Softened(0);
        for (const float x : w) squares += static_cast<double>(x) * x;
      }
    }
    return squares * static_cast<double>(models() - 1) / 2;
  }

  const Problem problem_;
  std::vector<SoftStart> starts_;
  ThreadPool& pool_;
  std::vector<SharedTerm> terms_;
  std::vector<int> shared_of_;  // by term of the problem; -1: none
  std::vector<ModelTree> trees_;
  std::vector<Atom> atoms_;
  double start_share_ = 1;
};

}  // namespace

FrankWolfeOutcome MatchByFrankWolfe(std::span<const Checkpoint> models,
                                    std::shared_ptr<const Symmetry> symmetry,
                                    std::span<const SoftStart> starts,
                                    const FrankWolfeOptions& options,
                                    ThreadPool& pool) {
  return FrankWolfe(models, std::move(symmetry), starts, pool).Run(options);
}

}  // namespace rebasin
