#include "match/activations/activation_costs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "match/activations/group_costs.h"
#include "rebasin/merge.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::MakeSymmetry;
using testing::SymmetryPtr;

constexpr ActivationCost kCosts[] = {ActivationCost::kProduct,
                                     ActivationCost::kCorrelation};

std::vector<Axis> Axes(const Symmetry& symmetry,
                       const std::vector<std::string>& texts) {
  std::vector<Axis> axes;
  for (const std::string& text : texts) {
    axes.push_back(ParseAxis(text, symmetry.groups()));
  }
  return axes;
}

Shape ShapeOf(const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(axis.size());
  return shape;
}

// Numbers as after a ReLU, each unit with a scale of its own.
std::vector<float> Activations(const Shape& shape, uint64_t seed) {
  Random random(seed);
  int64_t size = 1;
  for (int64_t s : shape) size *= s;
  std::vector<float> values(size);
  for (float& value : values) {
    value = static_cast<float>(std::max(0.0, random.Normal() + 0.3));
  }
  return values;
}

// The values as they are when the network is permuted so.
std::vector<float> Permuted(const std::vector<float>& values,
                            const std::vector<Axis>& axes,
                            const Alignment& alignment) {
  const auto symmetry = std::make_shared<const Symmetry>(
      alignment.symmetry().groups(),
      std::vector<TensorSymmetry>{{.name = "tap", .axes = axes}});
  const Checkpoint moved = testing::ReferencePermute(
      Checkpoint({MakeTensor("tap", ShapeOf(axes), values)}),
      alignment.WithSymmetry(symmetry));
  const auto floats = FloatsInPlace(*moved.Find("tap"));
  return {floats.begin(), floats.end()};
}

struct Taps {
  SymmetryPtr symmetry;
  std::vector<std::vector<Axis>> axes;
};

Taps MakeTaps(const std::vector<Group>& groups,
              const std::vector<std::vector<std::string>>& taps) {
  Taps made{.symmetry = MakeSymmetry(groups, {}), .axes = {}};
  for (const auto& texts : taps) {
    made.axes.push_back(Axes(*made.symmetry, texts));
  }
  return made;
}

// Two batches of A, and of B, which is A moved by the inverse of `alignment`.
ActivationCosts CostsOf(const Taps& taps, const Alignment& alignment,
                        int batches = 2) {
  const auto sites = FindActivationSites(*taps.symmetry, taps.axes);
  ActivationCosts costs(sites);
  for (int k = 0; k < batches; ++k) {
    ActivationCosts::Batch batch(costs);
    for (size_t s = 0; s < sites.size(); ++s) {
      const std::vector<Axis>& axes = taps.axes[sites[s].tap];
      const std::vector<float> a =
          Activations(ShapeOf(axes), 100 * k + sites[s].tap);
      const std::vector<float> b = Permuted(a, axes, alignment.Inverse());
      batch.Measure(s, sites[s], a.data(), b.data());
    }
    costs.Add(batch);
  }
  return costs;
}

std::vector<Taps> AllKinds() {
  const std::vector<Group> heads = {{"h", 4}, {"k", 6, 0}};
  return {
      MakeTaps({{"p", 20}}, {{"50", "p"}}),               // dense
      MakeTaps({{"p", 20}}, {{"3", "p", "5", "4"}}),      // convolution
      MakeTaps({{"p", 9}}, {{"30", "p*4"}}),              // flattened
      MakeTaps({{"p", 9}, {"q", 7}}, {{"40", "p+3+q"}}),  // concatenated
      MakeTaps(heads, {{"5", "7", "h*k"}}),               // attention
      MakeTaps(heads, {{"5", "h", "7", "k"}}),            // split into heads
      MakeTaps(heads, {{"5", "h", "7", "k"}, {"5", "h", "3", "3"}}),
      MakeTaps({{"p", 20}}, {{"3", "p", "4", "4"}, {"40", "p"}}),  // a stream
  };
}

TEST(ActivationCosts, FindThePermutationOfACopy) {
  for (const Taps& taps : AllKinds()) {
    const auto planted = Alignment::Random(taps.symmetry, 7);
    const ActivationCosts costs = CostsOf(taps, planted);
    ThreadPool pool(2);
    for (ActivationCost kind : kCosts) {
      EXPECT_TRUE(SolveCosts(taps.symmetry, costs.Costs(kind), pool) ==
                  planted);
    }
  }
}

TEST(ActivationCosts, AreTheSumsThatTheySay) {
  const Taps taps = MakeTaps({{"p", 3}}, {{"4", "p", "2"}, {"5", "p"}});
  const ActivationCosts costs = CostsOf(taps, Alignment(taps.symmetry), 1);
  // By tap: the samples of unit i.
  const auto samples = [&](size_t tap, int64_t i) {
    const std::vector<float> values = Activations(ShapeOf(taps.axes[tap]), tap);
    std::vector<double> found;
    const int64_t outer = tap == 0 ? 4 : 5, inner = tap == 0 ? 2 : 1;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < inner; ++k) {
        found.push_back(values[(o * 3 + i) * inner + k]);
      }
    }
    return found;
  };
  const auto sum = [&](int64_t i, int64_t j, bool centred) {
    double total = 0;
    for (size_t tap : {0, 1}) {
      const auto x = samples(tap, i), y = samples(tap, j);
      double mean_x = 0, mean_y = 0;
      for (size_t s = 0; s < x.size(); ++s) {
        mean_x += centred ? x[s] / double(x.size()) : 0;
        mean_y += centred ? y[s] / double(y.size()) : 0;
      }
      for (size_t s = 0; s < x.size(); ++s) {
        total += (x[s] - mean_x) * (y[s] - mean_y);
      }
    }
    return total;
  };
  const auto product = costs.Costs(ActivationCost::kProduct);
  const auto correlation = costs.Costs(ActivationCost::kCorrelation);
  ASSERT_EQ(product.size(), 1u);
  double largest = 0;
  for (int64_t i = 0; i < 9; ++i) {
    largest = std::max(largest, sum(i / 3, i % 3, false));
  }
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(product[0].gram[i * 3 + j], sum(i, j, false) / largest, 1e-6);
      EXPECT_NEAR(
          correlation[0].gram[i * 3 + j],
          sum(i, j, true) / std::sqrt(sum(i, i, true) * sum(j, j, true)), 1e-6);
    }
  }
}

// Many samples may be rounded; what is rounded must be the deviations, since
// nothing would be left of them in a few digits of the values.
TEST(ActivationCosts, CountDeviationsOfUnitsThatAreFarFromZero) {
  constexpr int64_t kSamples = 2000, kUnits = 5;
  const Taps taps = MakeTaps({{"p", kUnits}}, {{"2000", "p"}});
  const auto sites = FindActivationSites(*taps.symmetry, taps.axes);
  const std::vector<float> near = Activations({kSamples, kUnits}, 1);
  const std::vector<float> other = Activations({kSamples, kUnits}, 2);
  const auto correlations = [&](float shift) {
    std::vector<float> a(near.size()), b(near.size());
    for (size_t i = 0; i < near.size(); ++i) {
      a[i] = shift + near[i];
      b[i] = shift + near[i] + other[i];
    }
    ActivationCosts costs(sites);
    ActivationCosts::Batch batch(costs);
    batch.Measure(0, sites[0], a.data(), b.data());
    costs.Add(batch);
    return costs.Costs(ActivationCost::kCorrelation)[0].gram;
  };
  const auto from_zero = correlations(0), from_afar = correlations(1000);
  for (size_t i = 0; i < from_zero.size(); ++i) {
    EXPECT_NEAR(from_zero[i], i % (kUnits + 1) == 0 ? 0.7 : 0.0, 0.1);
    EXPECT_NEAR(from_afar[i], from_zero[i], 1e-3);
  }
}

TEST(ActivationCosts, UnitsThatNeverChangeAreWorthNothing) {
  const Taps taps = MakeTaps({{"p", 4}}, {{"50", "p"}});
  const auto sites = FindActivationSites(*taps.symmetry, taps.axes);
  ActivationCosts costs(sites);
  std::vector<float> values = Activations({50, 4}, 1);
  for (size_t s = 0; s < 50; ++s) {
    values[4 * s + 1] = 0;      // dead
    values[4 * s + 2] = 0.37f;  // constant
  }
  ActivationCosts::Batch batch(costs);
  batch.Measure(0, sites[0], values.data(), values.data());
  costs.Add(batch);
  const auto found = costs.Costs(ActivationCost::kCorrelation);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t unit : {1, 2}) {
      EXPECT_EQ(found[0].gram[4 * i + unit], 0);
      EXPECT_EQ(found[0].gram[4 * unit + i], 0);
    }
  }
}

TEST(ActivationCosts, AllUnitsDeadIsTheIdentity) {
  const Taps taps = MakeTaps({{"p", 6}}, {{"5", "p"}});
  const auto sites = FindActivationSites(*taps.symmetry, taps.axes);
  ActivationCosts costs(sites);
  const std::vector<float> zeros(30, 0.0f);
  ActivationCosts::Batch batch(costs);
  batch.Measure(0, sites[0], zeros.data(), zeros.data());
  costs.Add(batch);
  ThreadPool pool(1);
  for (ActivationCost kind : kCosts) {
    EXPECT_TRUE(
        SolveCosts(taps.symmetry, costs.Costs(kind), pool).IsIdentity());
  }
}

TEST(ActivationCosts, PlacesWhereGroupsMeetAreLeftOut) {
  const Taps taps =
      MakeTaps({{"p", 6}, {"q", 5}}, {{"2", "p", "q"}, {"2", "p"}});
  const auto sites = FindActivationSites(*taps.symmetry, taps.axes);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].tap, 1u);
}

TEST(ActivationCosts, LayoutsOfOtherBatchSizesHaveTheSameSites) {
  const Taps large = MakeTaps({{"p", 6}}, {{"8", "p"}, {"8", "p", "3"}});
  const Taps small = MakeTaps({{"p", 6}}, {{"3", "p"}, {"3", "p", "3"}});
  const Taps other = MakeTaps({{"p", 6}}, {{"3", "p"}});
  const auto sites = [](const Taps& taps) {
    return FindActivationSites(*taps.symmetry, taps.axes);
  };
  EXPECT_TRUE(SameSites(sites(large), sites(small)));
  EXPECT_FALSE(SameSites(sites(large), sites(other)));
}

TEST(MixedCosts, GoFromWhatActivationsSayToWhatWeightsSay) {
  // Two groups of units whose activations and weights want different things.
  const SymmetryPtr symmetry = testing::Mlp({8, 12, 6});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const auto by_weights = Alignment::Random(symmetry, 2);
  const Checkpoint b = Permute(a, by_weights.Inverse());
  const std::vector<std::vector<Axis>> taps = {
      Axes(*symmetry, {"60", symmetry->groups()[0].name})};
  const auto by_activations = Alignment::Random(symmetry, 3);
  const ActivationCosts costs = CostsOf({symmetry, taps}, by_activations);
  for (ActivationCost kind : kCosts) {
    EXPECT_TRUE(MatchMixed(symmetry, costs.Costs(kind), 1e-6, a, b, {}, {}) ==
                by_activations);
    EXPECT_TRUE(MatchMixed(symmetry, costs.Costs(kind), 1 - 1e-6, a, b, {},
                           {}) == by_weights);
  }
}

TEST(MixedCosts, DescribeTrees) {
  const SymmetryPtr symmetry = testing::Attention(16, 4, 3);
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const auto planted = Alignment::Random(symmetry, 2);
  const int heads = symmetry->FindGroup("heads");
  ASSERT_NE(heads, kNoGroup);
  const std::vector<std::vector<Axis>> taps = {
      Axes(*symmetry, {"40", "heads*qk"})};
  const ActivationCosts costs = CostsOf({symmetry, taps}, planted);
  EXPECT_TRUE(MatchMixed(symmetry, costs.Costs(ActivationCost::kCorrelation),
                         0.5, a, Permute(a, planted.Inverse()), {},
                         {}) == planted);
}

}  // namespace
}  // namespace rebasin
