// The sum of many models of one structure, kept up to date as they move.

#ifndef REBASIN_MATCH_MANY_MODEL_SUM_H_
#define REBASIN_MATCH_MANY_MODEL_SUM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// The models' tensors in pieces of a fixed size, for loops that threads share.
struct TensorPiece {
  size_t tensor = 0;
  size_t begin = 0, count = 0;
};

// Of all F32 tensors, or only of those that are matched: described by the
// symmetry, and no statistics.
std::vector<TensorPiece> FloatPieces(const Checkpoint& model);
std::vector<TensorPiece> MatchedPieces(const Checkpoint& model,
                                       const Symmetry& symmetry);

// Of a model's F32 tensor.
std::span<const float> Values(const Checkpoint& model,
                              const TensorPiece& piece);

// Over the pieces.
double SquaredNorm(const Checkpoint& model,
                   const std::vector<TensorPiece>& pieces, ThreadPool& pool);

class ModelSum {
 public:
  // Starts as zero. Models that are added have the tensors of `like`, in the
  // same order; those that are not F32 do not count.
  ModelSum(const Checkpoint& like, const Symmetry& symmetry, ThreadPool& pool);

  void Clear();
  void Add(const Checkpoint& model, double factor);

  // The sum without `model`, times `factor`, as a model whose other tensors are
  // those of `model`. Its memory is used again by the next call.
  const Checkpoint& Without(const Checkpoint& model, double factor);

  // Over the matched tensors.
  double SquaredNorm() const;

 private:
  ThreadPool& pool_;
  std::vector<TensorPiece> pieces_, matched_;
  // Double, so that adding and taking away leaves no trace.
  std::vector<std::vector<double>> sums_;  // in the order of the tensors
  std::vector<std::shared_ptr<std::vector<float>>> rest_;
  Checkpoint without_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MODEL_SUM_H_
