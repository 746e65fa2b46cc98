// A point between two models, the second one permuted: (1 - lambda) A +
// lambda pi(B). Where pi and lambda change a little at a time, only what they
// touch is computed anew.

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
  // The midpoint with `alignment`. The pool must outlive it.
  Blend(const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
        const Checkpoint& b, const Alignment& alignment, ThreadPool& pool);

  void Set(const Alignment& alignment, double lambda);

  // The point itself; the same memory for as long as the blend lives.
  const Weights& weights() const { return blended_; }
  const Weights& a() const { return a_; }
  const Weights& b() const { return b_; }                // as it came
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
  std::vector<std::vector<int>> groups_;  // by weight: those on its axes
};

// A tensor of the library that lies in LibTorch's memory, float32.
Tensor ViewOf(const at::Tensor& numbers, std::string name);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_BLEND_H_
