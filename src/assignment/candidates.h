// Short lists of the cheapest columns of each row.
//
// A bid needs the two cheapest columns of a row, and an auction spends most of
// its time reading whole rows from memory. Prices only rise while rows bid, so
// columns outside a list stay above the limit with which the list was made. As
// long as the second choice in the list is below that limit, the list replaces
// the row.

#ifndef REBASIN_ASSIGNMENT_CANDIDATES_H_
#define REBASIN_ASSIGNMENT_CANDIDATES_H_

#include <memory>
#include <span>

#include "assignment/problem.h"

namespace rebasin::assignment {

class Candidates {
 public:
  // `ranges` has the scaled range of each row's costs, a first guess for the
  // reach of lists.
  Candidates(const Problem& problem, std::span<const float> ranges);

  // Returns the two cheapest columns of `row`: from its list if that suffices,
  // otherwise from the matrix. In that case the list is rebuilt if it is likely
  // to last while prices rise by steps of `epsilon`.
  Minima<float> TwoCheapest(size_t row, const std::vector<float>& prices,
                            float epsilon);

  // Call this after lowering prices by up to `amount`.
  void OnPricesLowered(float amount);

  // The columns in the list of `row`; may be empty.
  std::span<const int32_t> Columns(size_t row) const;
  std::span<const float> Costs(size_t row) const;

 private:
  static constexpr size_t kCapacity = 64;
  static constexpr size_t kRoom = kCapacity + 32;  // as ListBelow() requires

  struct List {
    float limit;  // all columns outside cost at least this
    float range;
    uint32_t size;
  };

  Minima<float> Scan(size_t row, const std::vector<float>& prices,
                     float epsilon);
  void Renew(size_t row, const std::vector<float>& prices, float best);

  const Problem& problem_;
  std::vector<List> lists_;
  // kRoom elements for each row. Not initialised, because initialising would
  // take longer than most uses.
  std::unique_ptr<int32_t[]> columns_;
  std::unique_ptr<float[]> costs_;  // scaled; infinite beyond the list's size
  float reach_;  // of a list above its best column, relative to the range
};

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_CANDIDATES_H_
