// The points measured by straight-through matching, and the alignment of the
// best one.

#ifndef REBASIN_NN_BEST_POINT_H_
#define REBASIN_NN_BEST_POINT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/nn/straight_through.h"

namespace rebasin::nn {

class BestPoint {
 public:
  explicit BestPoint(const Alignment& start) : last_(start), best_(start) {}
  BestPoint(Alignment last, Alignment best,
            std::vector<StraightThroughPoint> history)
      : last_(std::move(last)),
        best_(std::move(best)),
        history_(std::move(history)) {}

  // Adds a point and sets its number of units moved since the last one.
  void Add(StraightThroughPoint point, const Alignment& alignment);

  const std::vector<StraightThroughPoint>& history() const { return history_; }
  const Alignment& last() const { return last_; }
  const Alignment& best() const { return best_; }
  // The first point with the lowest loss. Requires at least one point.
  const StraightThroughPoint& point() const { return history_[At()]; }
  // The number of points after it.
  int64_t Since() const;

 private:
  size_t At() const;

  Alignment last_, best_;
  std::vector<StraightThroughPoint> history_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_BEST_POINT_H_
