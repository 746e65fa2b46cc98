// Networks of two inputs for the counterexample: does a point of the square
// [-1, 1]^2 lie in its upper left quadrant?

#ifndef REBASIN_LAB_SQUARE_NETWORKS_H_
#define REBASIN_LAB_SQUARE_NETWORKS_H_

#include <array>
#include <cstddef>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin::lab {

// Two networks with two ReLU units in each of two layers. On the square, both
// compute f(x) = -(relu(x1) + relu(-x2)), which is 0 in the quadrant x1 < 0 <
// x2 and negative elsewhere: their prediction f(x) >= 0 is always right.
Checkpoint SquareNetworkA();
Checkpoint SquareNetworkB();

// Returns a network with `copies` of each hidden unit that share their outgoing
// weights. It computes the same function.
Checkpoint WithCopies(const Checkpoint& network, int copies);
// Returns a network with `more` hidden units in each layer whose weights are
// all zero. It computes the same function.
Checkpoint WithDeadUnits(const Checkpoint& network, int more);

// A network as a function.
class SquareFunction {
 public:
  explicit SquareFunction(const Checkpoint& network);
  double operator()(const std::array<double, 2>& x) const;

 private:
  std::array<std::vector<float>, 3> weights_, biases_;
};

// Points of the square: midpoints of equal cells, so that none is on the border
// of a quadrant.
inline constexpr int kSquareCells = 64;
double SquareCoordinate(int cell, int cells = kSquareCells);

// The share of the square where the prediction is wrong.
double SquareErrors(const Checkpoint& network);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_SQUARE_NETWORKS_H_
