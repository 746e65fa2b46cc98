// Short lists of the cheapest columns of each row.
//
// A bid needs the two cheapest columns of a row, and reading whole rows from
// memory is what an auction spends its time on. Prices only rise while rows
// bid, so the columns outside a list stay above the limit it was made with:
// as long as the second choice in the list is below that limit, the list is as
// good as the row.

#ifndef REBASIN_ASSIGNMENT_CANDIDATES_H_
#define REBASIN_ASSIGNMENT_CANDIDATES_H_

#include <memory>
#include <span>

#include "assignment/problem.h"

namespace rebasin::assignment {

class Candidates {
 public:
  // `ranges` holds the range of each row's costs, scaled; a first guess at how
  // far a list should reach.
  Candidates(const Problem& problem, std::span<const float> ranges);

  // The two cheapest columns of `row`: from its list where that suffices,
  // otherwise from the matrix, renewing the list if it promises to last while
  // prices rise by steps of `epsilon`.
  Minima<float> TwoCheapest(size_t row, const std::vector<float>& prices,
                            float epsilon);

  // To be called when prices were lowered by up to `amount`.
  void PricesFell(float amount);

  // What the list of `row` holds; may be empty.
  std::span<const int32_t> Columns(size_t row) const;
  std::span<const float> Costs(size_t row) const;

 private:
  static constexpr size_t kCapacity = 64;
  static constexpr size_t kRoom = kCapacity + 32;  // as ListBelow() demands

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
  // kRoom a row. Not initialised: most of the time that would be all their use.
  std::unique_ptr<int32_t[]> columns_;
  std::unique_ptr<float[]> costs_;  // scaled; infinite beyond the list's size
  float reach_;  // of a list above its best column, relative to the range
};

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_CANDIDATES_H_
