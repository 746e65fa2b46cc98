// Matching costs from activations: the cross-moments of both networks'
// activations on the same data, at the places where groups are carried into the
// next layer (Git Re-Basin, section 3.1).
//
// A batch of activations is treated as a tensor whose fixed axes are the batch
// and the positions of an image. So the layout that finds units in weights also
// finds them here, and the same matrix products give the costs. Only one matrix
// for each group is kept, no activations.

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

// Returns the sites of all groups. Tap t is a value with axes taps[t]. Places
// where several groups meet on different axes are left out, because they do not
// determine any one of the groups.
std::vector<ActivationSite> FindActivationSites(
    const Symmetry& symmetry, std::span<const std::vector<Axis>> taps);

// True if both lists have the same sites, up to the number of samples.
bool SameSites(std::span<const ActivationSite> x,
               std::span<const ActivationSite> y);

// Sums over the samples of one site, in both networks.
struct SiteSums {
  UnitSums a, b;
  int64_t samples = 0;
};

class ActivationCosts {
 public:
  // The contribution of one batch.
  class Batch {
   public:
    explicit Batch(const ActivationCosts& costs);
    // Adds samples of a site, as the two networks computed its tap. Runs on one
    // thread. May be called several times for a site.
    void Measure(size_t index, const ActivationSite& site, const float* a,
                 const float* b);

   private:
    friend class ActivationCosts;
    // Some samples of a site. Sums are of deviations from values near each
    // unit's mean, which need fewer digits than the values.
    struct Piece {
      SiteSums sums;
      std::vector<float> a_from, b_from;  // by unit
    };

    const ActivationCosts& costs_;
    std::vector<std::vector<float>> products_;  // of deviations, by part
    std::vector<std::vector<Piece>> pieces_;    // by site
  };

  explicit ActivationCosts(std::span<const ActivationSite> sites);

  // The order of calls affects rounding.
  void Add(const Batch& batch);

  const std::vector<SiteSums>& sites() const { return sites_; }
  // True if all sums that involve the site are finite; otherwise there are no
  // costs.
  bool AllFinite(size_t site) const;
  // Returns costs to be maximised. Products are relative to the largest one of
  // each root.
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
