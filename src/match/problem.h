// A matching problem: two models, and the terms of the objective.

#ifndef REBASIN_MATCH_PROBLEM_H_
#define REBASIN_MATCH_PROBLEM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"
#include "symmetry/layout.h"
#include "tensor/elements.h"
#include "tensor/gemm.h"

namespace rebasin {

// One block of one tensor in both models. Adds to the objective the sum over
// all positions of A[position] * B[unit at that position].
struct Term {
  int tensor = 0;  // index into Problem::tensors()
  Elements a, b;   // first elements of the block
  Block block = {};
  double weight = 0;  // |A| |B| of the block, a bound of the term
  // How costs are computed; the results are the same.
  GemmOperands operands = GemmOperands::kExact;
};

// A place where a group tree acts: one slot of a term.
struct Occurrence {
  int term = 0;
  int slot = 0;
};

// A tensor of both models; a list of tensors counts as one.
struct TensorPair {
  std::string name;
  const TensorSymmetry* symmetry = nullptr;
  std::vector<std::string> members;  // the tensors of a list; otherwise one
  Elements a, b;
  int64_t size = 0;                         // of each
  std::span<std::byte> copied_a, copied_b;  // for lists
  double norm_a = 0, norm_b = 0, dot = 0;
  GemmOperands operands = GemmOperands::kExact;

  std::vector<float> FloatsOfB() const;
};

// Whether pages of mapped files are given back after use (io/mapped_pages.h).
enum class Paging {
  kIfLarge,  // if both models are large for the machine's memory
  kAlways,
};

class Problem {
 public:
  // Includes every tensor of arithmetic type that the symmetry describes and
  // that is not a statistic. Elements are used where they are, in their own
  // types; only lists and tensors that are not aligned are copied. Requires
  // models of the same structure that fit the symmetry. Throws Error(kBadInput)
  // if a value is not finite as float32, or if costs (products of both models)
  // would not be.
  Problem(const Checkpoint& a, const Checkpoint& b,
          std::shared_ptr<const Symmetry> symmetry, ThreadPool& pool,
          Paging paging = Paging::kIfLarge);

  // The problem of two models like this one, without their values: only sizes
  // and types may be asked for.
  static Problem OfShapes(const Checkpoint& like,
                          std::shared_ptr<const Symmetry> symmetry);

  const std::shared_ptr<const Symmetry>& symmetry() const { return symmetry_; }
  const std::vector<TensorPair>& tensors() const { return tensors_; }
  const std::vector<Term>& terms() const { return terms_; }
  // The root groups that occur in a term, and their occurrences.
  const std::vector<int>& roots() const { return roots_; }
  const std::vector<Occurrence>& occurrences(size_t tree) const {
    return occurrences_[tree];
  }
  // Index of a root group in roots(); -1 if it does not occur.
  int TreeOf(int root) const { return tree_of_[root]; }

  // The contribution of one term, of each term, or of all, in double.
  double Value(const Term& term, const Alignment& alignment) const;
  std::vector<double> TermValues(const Alignment& alignment,
                                 ThreadPool& pool) const;
  double Value(const Alignment& alignment, ThreadPool& pool) const;

  // Tell the system that the tensors of a term are read next, and that they are
  // not needed for some time. Do nothing unless pages are given back.
  void Expect(const Term& term) const;
  void Leave(const Term& term) const;

  // Updates the norms of the tensors of a tree, and the weights of its terms,
  // after the models' values were changed in place. Returns false if costs
  // would not be finite.
  bool Remeasure(int tree, ThreadPool& pool);

 private:
  Problem(const Checkpoint& like, std::shared_ptr<const Symmetry> symmetry);
  void AddTensors();
  void AddTensor(const TensorSymmetry& tensor);
  void AddList(const TensorSymmetry& tensor, TensorPair& pair);
  bool Counts(const TensorSymmetry& tensor) const;
  Elements Hold(const Tensor& tensor);
  Elements HoldList(const Checkpoint& model, const TensorPair& pair,
                    std::span<std::byte>* copy);
  void MeasureTensors(ThreadPool& pool);
  void Weigh(Term& term) const;
  void AddTerms(int tensor);
  void IndexTrees();
  void CheckCosts() const;

  std::shared_ptr<const Symmetry> symmetry_;
  std::vector<TensorPair> tensors_;
  std::vector<Term> terms_;
  std::vector<int> roots_;
  std::vector<int> tree_of_;
  std::vector<std::vector<Occurrence>> occurrences_;
  std::deque<std::vector<std::byte>> copies_;
  std::deque<TensorSymmetry> stacks_;  // lists as single tensors
  Checkpoint a_, b_;                   // keep the bytes alive
  bool releases_pages_ = false;
  bool has_values_ = true;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_PROBLEM_H_
