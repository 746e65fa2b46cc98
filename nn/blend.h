// A point between two models, the second one permuted: (1 - lambda) A + lambda
// pi(B). After small changes of pi and lambda, only affected weights are
// recomputed.

#ifndef REBASIN_NN_BLEND_H_
#define REBASIN_NN_BLEND_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "nn/weights.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin::nn {

class Blend {
 public:
  // Starts at the midpoint with `alignment`. The pool must outlive the object.
  Blend(const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
        const Checkpoint& b, const Alignment& alignment, ThreadPool& pool);

  void Set(const Alignment& alignment, double lambda);

  // The weights of the point; the memory stays the same.
  const Weights& weights() const { return blended_; }
  const Weights& a() const { return a_; }
  const Weights& b() const { return b_; }                // unpermuted
  const Weights& permuted() const { return permuted_; }  // pi(B)

 private:
  std::vector<size_t> Touched(const Alignment& alignment) const;
  void PermuteWeight(size_t weight);
  void BlendWeight(size_t weight);

  std::shared_ptr<const Graph> graph_;
  ThreadPool& pool_;
  const Weights a_, b_;
  Weights permuted_, blended_;
  Alignment alignment_;
  double lambda_ = 0.5;
  std::vector<Tensor> of_b_;              // views of b_, by weight
  std::vector<std::vector<int>> groups_;  // by weight: the groups on its axes
};

// A Tensor that refers to LibTorch's memory, as float32.
Tensor ViewOf(const at::Tensor& numbers, std::string name);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_BLEND_H_
