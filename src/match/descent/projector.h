// Projects weights that move onto the orbit of a model B that does not: keeps
// the permutation pi for which pi(B) is nearest to them.
//
// The weights change everywhere, a little at a time, so that their costs have
// to be computed anew, but the last permutation and the last duals are nearly
// right. A projector therefore goes on with the descent that it keeps, tree by
// tree in turn, as far as the arithmetic granted reaches. What it does is a
// function of the weights seen at each call, never of the time it takes.

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

// What a projector must remember, besides its alignment, to go on to the same
// permutations.
struct ProjectorState {
  std::vector<AssignmentDuals> duals;  // by tree
  double credit = 0;                   // arithmetic granted and not used
  int64_t next = 0;                    // the tree to visit next
};

class Projector {
 public:
  // The tensors of `moving` that are F32 are looked at in place, again and
  // again; their bytes must stay where they are. Starts at `start`, with
  // nothing visited. Requires models of the same names and shapes that fit the
  // symmetry; throws Error(kBadInput) on values that are not finite. The pool
  // must outlive the projector.
  Projector(const Checkpoint& moving, const Checkpoint& b,
            const Alignment& start, ThreadPool& pool);
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  const Alignment& alignment() const { return descent_.alignment(); }
  int64_t trees() const { return descent_.trees(); }
  int64_t visits() const { return visits_; }  // to trees, so far

  // Goes on for the present numbers until nothing gains or `flops` operations,
  // with what is left from calls before, are used up. A visit that was begun is
  // finished, at the expense of later calls. The inner product of the weights
  // with pi(B) never falls. False if the weights are not finite or too large
  // for float32 products: pi then stays as it is.
  bool Follow(double flops);
  // From the first tree on, until nothing gains.
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
  std::vector<bool> stale_;  // by tree: costs are of numbers that were
  double credit_ = 0;
  int64_t next_ = 0;
  int64_t visits_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_PROJECTOR_H_
