// Products as systems of linear equations: each element of the output is the
// inner product of a row of inputs and the weights of its channel.

#ifndef REBASIN_NN_LINEAR_ROWS_H_
#define REBASIN_NN_LINEAR_ROWS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "nn/plan.h"
#include "repair/fit_sites.h"

namespace rebasin::nn {

// The sizes of a product's system.
struct SystemSize {
  int64_t groups = 1;   // convolutions with groups are independent systems
  int64_t inputs = 0;   // weights of one output channel
  int64_t outputs = 0;  // output channels of one group
  int64_t places = 1;   // rows that one example gives, or all rows of a batch
  bool places_are_of_example = true;
};

// Which of the places are taken: every `step`th along each spatial axis, from
// `offset` on.
struct Places {
  int64_t step = 1;
  int64_t offset = 0;
};

// Turns the input and output of one node into rows.
class LinearRows {
 public:
  // `step` must be that of a product and outlive this object.
  LinearRows(const Step& step, const Shape& weight);

  const SystemSize& size() const { return size_; }
  // The number of spatial axes along which places are skipped.
  int64_t axes() const { return axes_; }

  // [groups, inputs, rows], as float: a copy.
  at::Tensor Inputs(const at::Tensor& input, const Places& places) const;
  // [groups, outputs, rows], the same rows. `output` has the shape of the
  // node's output.
  at::Tensor Outputs(const at::Tensor& output, const Places& places) const;

  // A solution [groups, inputs, outputs] in the shape of the stored weight.
  // `channel_axis`: as in FitSite.
  at::Tensor Weight(const at::Tensor& solution, int64_t channel_axis) const;

 private:
  at::Tensor Windows(const at::Tensor& input, const Places& places) const;

  const Step& step_;
  Shape weight_;
  SystemSize size_;
  int64_t axes_ = 0;
  bool is_convolution_ = false, is_transposed_ = false;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_LINEAR_ROWS_H_
