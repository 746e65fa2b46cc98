// Many noisy copies of one model, each permuted at random; the first is not.

#ifndef REBASIN_TESTS_MATCH_MANY_PLANTED_H_
#define REBASIN_TESTS_MATCH_MANY_PLANTED_H_

#include <vector>

#include "rebasin/merge.h"
#include "support/models.h"

namespace rebasin::testing {

struct ManyPlanted {
  SymmetryPtr symmetry;
  std::vector<Checkpoint> models;
  std::vector<Alignment> solutions;

  ManyPlanted(SymmetryPtr net, uint64_t count, double noise)
      : symmetry(std::move(net)) {
    const Checkpoint base = RandomModel(*symmetry, 7);
    for (uint64_t m = 0; m < count; ++m) {
      const Alignment moved =
          m == 0 ? Alignment(symmetry) : Alignment::Random(symmetry, m);
      models.push_back(Permute(WithNoise(base, noise, 100 + m), moved));
      solutions.push_back(moved.Inverse());
    }
  }
};

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_MATCH_MANY_PLANTED_H_
