#include "assignment/finish.h"

#include <algorithm>

namespace rebasin::assignment {
namespace {

// The search for one shortest path at a time; keeps its buffers between them.
class PathSearch {
 public:
  PathSearch(const Problem& problem, Duals* duals, Matching* matching)
      : problem_(problem),
        duals_(*duals),
        matching_(*matching),
        open_prices_(duals->prices),
        distance_(PaddedSize(problem.n()), kInfinity<double>),
        from_(PaddedSize(problem.n())) {}

  void Augment(size_t free_row) {
    std::fill(distance_.begin(), distance_.end(), kInfinity<double>);
    visits_.clear();
    const int32_t end = Search(free_row);
    UpdateDuals(free_row);
    Flip(free_row, static_cast<size_t>(end));
  }

  int64_t visited() const { return visited_; }

 private:
  struct Visit {
    int32_t column;
    double distance;
  };

  // Visits columns nearest first until one is free, and returns it.
  int32_t Search(size_t free_row) {
    length_ = 0;
    double nearest = VisitRow(free_row);
    while (true) {
      length_ = nearest;
      ready_.clear();
      AppendEqual(distance_.data(), length_, problem_.n(), &ready_);
      // Among equally near columns a free one ends the search at once.
      for (const int32_t j : ready_) {
        if (matching_.row_of_column[static_cast<size_t>(j)] < 0) return j;
      }
      nearest = VisitReady();
    }
  }

  // Visits the rows of all columns at the current distance.
  double VisitReady() {
    double nearest = kInfinity<double>;
    for (const int32_t column : ready_) Close(static_cast<size_t>(column));
    for (const int32_t column : ready_) {
      const int32_t row = matching_.row_of_column[static_cast<size_t>(column)];
      nearest = VisitRow(static_cast<size_t>(row));
    }
    return nearest;
  }

  // An infinite price and distance hide a column from the kernels.
  void Close(size_t column) {
    visits_.push_back({static_cast<int32_t>(column), length_});
    open_prices_[column] = kInfinity<double>;
    distance_[column] = kInfinity<double>;
  }

  double VisitRow(size_t row) {
    ++visited_;
    const RelaxStep step = {.scale = problem_.sign,
                            .dual = duals_.rows[row],
                            .start = length_,
                            .row = static_cast<double>(row)};
    return Relax(problem_.Row(row), step, open_prices_.data(), distance_.data(),
                 from_.data(), problem_.n());
  }

  void UpdateDuals(size_t free_row) {
    duals_.rows[free_row] += length_;
    for (const auto& [column, distance] : visits_) {
      const auto j = static_cast<size_t>(column);
      const auto i = static_cast<size_t>(matching_.row_of_column[j]);
      duals_.rows[i] += length_ - distance;
      duals_.prices[j] += length_ - distance;
      open_prices_[j] = duals_.prices[j];
    }
  }

  // Matches along the path that ends in `column`, back to the free row.
  void Flip(size_t free_row, size_t column) {
    size_t row;
    do {
      row = static_cast<size_t>(from_[column]);
      const int32_t previous = matching_.column_of_row[row];
      matching_.row_of_column[column] = static_cast<int32_t>(row);
      matching_.column_of_row[row] = static_cast<int32_t>(column);
      column = static_cast<size_t>(previous);
    } while (row != free_row);
  }

  const Problem& problem_;
  Duals& duals_;
  Matching& matching_;
  std::vector<double> open_prices_;  // infinite for visited columns
  std::vector<double> distance_;     // infinite for visited columns
  std::vector<double> from_;         // the row before each column
  std::vector<Visit> visits_;
  std::vector<int32_t> ready_;
  double length_ = 0;
  int64_t visited_ = 0;
};

}  // namespace

int64_t AugmentFreeRows(const Problem& problem, Duals* duals,
                        Matching* matching) {
  PathSearch search(problem, duals, matching);
  for (const int32_t row : matching->FreeRows()) {
    search.Augment(static_cast<size_t>(row));
  }
  return search.visited();
}

}  // namespace rebasin::assignment
