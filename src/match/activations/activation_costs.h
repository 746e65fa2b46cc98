// Matching costs from activations: the cross-moments of what two networks
// compute on the same data, where groups are carried into the next layer
// (Git Re-Basin, section 3.1).
//
// A batch of activations is a tensor like any other, with the batch and the
// positions of an image as fixed axes. So the same layout that finds units in
// weights finds them here, and the same products give the costs. What stays is
// one matrix a group; activations are not kept.

#ifndef REBASIN_MATCH_ACTIVATIONS_ACTIVATION_COSTS_H_
#define REBASIN_MATCH_ACTIVATIONS_ACTIVATION_COSTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "match/activations/unit_sums.h"
#include "match/costs/tree_costs.h"
#include "rebasin/match.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Tap t is a value with axes taps[t]. Where several groups meet on different
// axes nothing can be said of one alone; such places are left out.
std::vector<ActivationSite> FindActivationSites(
    const Symmetry& symmetry, std::span<const std::vector<Axis>> taps);

// Whether two layouts differ in the number of samples at most.
bool SameSites(std::span<const ActivationSite> x,
               std::span<const ActivationSite> y);

// Over the samples of one site, in both networks.
struct SiteSums {
  UnitSums a, b;
  int64_t samples = 0;
};

class ActivationCosts {
 public:
  // What one batch adds.
  class Batch {
   public:
    explicit Batch(const ActivationCosts& costs);
    // The site's tap, as the two networks computed it. Runs on one thread. May
    // be called again for the same site, with other samples.
    void Measure(size_t index, const ActivationSite& site, const float* a,
                 const float* b);

   private:
    friend class ActivationCosts;
    // Some samples of a site. Units are measured from near their mean: what a
    // unit does is its deviations, and few digits suffice for those.
    struct Piece {
      SiteSums sums;
      std::vector<float> a_from, b_from;  // by unit
    };

    const ActivationCosts& costs_;
    std::vector<std::vector<float>> products_;  // of deviations, by part
    std::vector<std::vector<Piece>> pieces_;    // by site
  };

  explicit ActivationCosts(std::span<const ActivationSite> sites);

  // The order of calls decides the last bits.
  void Add(const Batch& batch);

  const std::vector<SiteSums>& sites() const { return sites_; }
  // Whether all sums that the site takes part in are; if not, there are no
  // costs.
  bool AllFinite(size_t site) const;
  // To be maximised; products in units of the largest of each root.
  std::vector<CostPart> Costs(ActivationCost kind) const;

 private:
  struct Part {
    Slot slot;
    std::vector<double> products;
  };

  size_t PartFor(const Slot& slot);
  void AddFromZero(size_t part, const Batch::Piece& piece);
  std::vector<double> Centred(size_t part) const;
  std::vector<double> InverseDeviations(size_t part,
                                        UnitSums SiteSums::*model) const;
  std::vector<float> Correlations(size_t part) const;
  double LargestProduct(int root) const;
  std::vector<float> Products(size_t part, double unit) const;

  std::vector<Part> parts_;
  std::vector<size_t> part_of_;  // by site
  std::vector<SiteSums> sites_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_ACTIVATIONS_ACTIVATION_COSTS_H_
