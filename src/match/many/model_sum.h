// The sum of many models of one structure, updated as they move.

#ifndef REBASIN_MATCH_MANY_MODEL_SUM_H_
#define REBASIN_MATCH_MANY_MODEL_SUM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Tensors cut into pieces of a fixed size, for parallel loops.
struct TensorPiece {
  size_t tensor = 0;
  size_t begin = 0, count = 0;
};

// The pieces of all F32 tensors, or only of matched ones: described by the
// symmetry and not statistics.
std::vector<TensorPiece> FloatPieces(const Checkpoint& model);
std::vector<TensorPiece> MatchedPieces(const Checkpoint& model,
                                       const Symmetry& symmetry);

// The values of a piece of an F32 tensor.
std::span<const float> Values(const Checkpoint& model,
                              const TensorPiece& piece);

// The squared norm over the pieces.
double SquaredNorm(const Checkpoint& model,
                   const std::vector<TensorPiece>& pieces, ThreadPool& pool);

class ModelSum {
 public:
  // Starts at zero. Added models must have the tensors of `like` in the same
  // order; only F32 tensors are summed.
  ModelSum(const Checkpoint& like, const Symmetry& symmetry, ThreadPool& pool);

  void Clear();
  void Add(const Checkpoint& model, double factor);

  // Returns the sum without `model`, times `factor`. Tensors that are not F32
  // are those of `model`. The next call reuses the memory.
  const Checkpoint& Without(const Checkpoint& model, double factor);

  // Over the matched tensors.
  double SquaredNorm() const;

 private:
  ThreadPool& pool_;
  std::vector<TensorPiece> pieces_, matched_;
  // In double, so that adding and subtracting a model leaves no error.
  std::vector<std::vector<double>> sums_;  // in the order of the tensors
  std::vector<std::shared_ptr<std::vector<float>>> rest_;
  Checkpoint without_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MODEL_SUM_H_
