#include "assignment/finish.h"

#include <algorithm>
#include <iterator>

namespace rebasin::assignment {
namespace {

// Searches one shortest path at a time; its buffers are reused.
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

  // Visits columns in order of distance until one is free, and returns it.
  int32_t Search(size_t free_row) {
    queue_.clear();
    length_ = 0;
    double nearest = VisitRow(free_row);
    for (size_t next = 0;; ++next) {
      // Columns tied at the current distance enter the queue together. If one
      // of them is free, the rest of the queue need not be visited.
      if (next == queue_.size() || nearest == length_) {
        length_ = nearest;
        const int32_t end = EnqueueNearest();
        if (end >= 0) return end;
      }
      const auto column = static_cast<size_t>(queue_[next]);
      nearest = VisitRow(static_cast<size_t>(matching_.row_of_column[column]));
    }
  }

  // Adds the columns at the current distance to the queue. If one of them is
  // free, returns it instead; otherwise returns -1.
  int32_t EnqueueNearest() {
    const size_t old_size = queue_.size();
    AppendEqual(distance_.data(), length_, problem_.n(), &queue_);
    for (size_t k = old_size; k < queue_.size(); ++k) {
      const int32_t column = queue_[k];
      if (matching_.row_of_column[static_cast<size_t>(column)] < 0) {
        return column;
      }
    }
    for (size_t k = old_size; k < queue_.size(); ++k) {
      Close(static_cast<size_t>(queue_[k]));
    }
    return -1;
  }

  // An infinite price and distance exclude a column in the kernels.
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

  // Changes the matching along the path from `column` back to the free row.
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
  std::vector<int32_t> queue_;  // columns whose rows are to be visited
  double length_ = 0;
  int64_t visited_ = 0;
};

constexpr size_t kSample = 32;  // paths

}  // namespace

void AugmentFreeRows(const Problem& problem, int64_t max_visits, Duals* duals,
                     Matching* matching) {
  PathSearch search(problem, duals, matching);
  const auto rows = matching->FreeRows();
  const int64_t fair = max_visits / std::max<int64_t>(1, std::ssize(rows));
  for (size_t done = 0; done < rows.size(); ++done) {
    // Paths grow longer as free columns become rare. If the first paths take
    // more than their share of visits, all of them would take too many.
    const bool foretold =
        done >= kSample && search.visited() / static_cast<int64_t>(done) > fair;
    if (search.visited() > max_visits || foretold) return;
    search.Augment(static_cast<size_t>(rows[done]));
  }
}

}  // namespace rebasin::assignment
