// Squared norms and inner product of two vectors.

#ifndef REBASIN_TENSOR_MOMENTS_H_
#define REBASIN_TENSOR_MOMENTS_H_

namespace rebasin {

struct Moments {
  double aa = 0, bb = 0, ab = 0;

  void operator+=(const Moments& other) {
    aa += other.aa;
    bb += other.bb;
    ab += other.ab;
  }
};

}  // namespace rebasin

#endif  // REBASIN_TENSOR_MOMENTS_H_
