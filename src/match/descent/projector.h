// Projects changing weights onto the permuted copies of a fixed model B: tracks
// the permutation pi for which pi(B) is nearest to the weights.
//
// All weights change a little at each step, so costs must be recomputed, but
// the last permutation and duals are almost right. The projector therefore
// continues its descent, one tree after another, within a budget of arithmetic.
// Its result depends only on the weights at each call, not on time.

#ifndef REBASIN_MATCH_DESCENT_PROJECTOR_H_
#define REBASIN_MATCH_DESCENT_PROJECTOR_H_

#include <cstdint>
#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/costs/gram.h"
#include "match/descent/descent.h"
#include "match/problem.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// The state, besides the alignment, that a projector needs to continue exactly.
struct ProjectorState {
  std::vector<AssignmentDuals> duals;  // by tree
  double credit = 0;                   // unused part of the budget
  int64_t next = 0;                    // the tree to visit next
};

class Projector {
 public:
  // F32 tensors of `moving` are read in place at every call; their bytes must
  // stay valid. Starts at `start`. Requires models of the same names and shapes
  // that fit the symmetry; throws Error(kBadInput) if a value is not finite.
  // The pool must outlive the projector.
  Projector(const Checkpoint& moving, const Checkpoint& b,
            const Alignment& start, ThreadPool& pool);
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  const Alignment& alignment() const { return descent_.alignment(); }
  int64_t trees() const { return descent_.trees(); }
  int64_t visits() const { return visits_; }  // visits of trees so far

  // Continues with the current weights until no tree gains or `flops`
  // operations, plus the rest from earlier calls, are used. A visit is always
  // completed; excess is deducted from later calls. The inner product of the
  // weights with pi(B) never falls. Returns false, and leaves pi unchanged, if
  // the weights are not finite or too large for float32 products.
  bool Follow(double flops);
  // Continues from the first tree until no tree gains.
  bool Converge();

  ProjectorState State() const;
  void Restore(const Alignment& alignment, const ProjectorState& state);

 private:
  bool Visit(int tree, double& gain);
  double Charge(int tree, double products) const;

  ThreadPool& pool_;
  Problem problem_;
  GramBuilder grams_;
  Descent descent_;
  std::vector<bool> stale_;  // by tree: costs belong to earlier weights
  double credit_ = 0;
  int64_t next_ = 0;
  int64_t visits_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_PROJECTOR_H_
