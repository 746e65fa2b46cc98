#include "nn/best_point.h"

#include <cmath>

namespace rebasin::nn {
namespace {

int64_t UnitsMoved(const Alignment& from, const Alignment& to) {
  int64_t moved = 0;
  for (size_t g = 0; g < from.symmetry().groups().size(); ++g) {
    const int group = static_cast<int>(g);
    for (int64_t c = 0; c < from.symmetry().Copies(group); ++c) {
      const auto x = from.permutation(group, c), y = to.permutation(group, c);
      for (size_t i = 0; i < x.size(); ++i) moved += x[i] != y[i] ? 1 : 0;
    }
  }
  return moved;
}

// A loss that is not a number is worse than any other.
bool Better(double loss, double than) {
  return loss < than || (std::isnan(than) && !std::isnan(loss));
}

}  // namespace

void BestPoint::Add(StraightThroughPoint point, const Alignment& alignment) {
  point.units_moved = UnitsMoved(last_, alignment);
  last_ = alignment;
  history_.push_back(point);
  if (Since() == 0) best_ = alignment;
}

size_t BestPoint::At() const {
  size_t best = 0;
  for (size_t i = 1; i < history_.size(); ++i) {
    if (Better(history_[i].loss, history_[best].loss)) best = i;
  }
  return best;
}

int64_t BestPoint::Since() const {
  return static_cast<int64_t>(history_.size() - 1 - At());
}

}  // namespace rebasin::nn
