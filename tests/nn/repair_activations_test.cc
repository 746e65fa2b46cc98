#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/small_networks.h"
#include "rebasin/merge.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/nn/train.h"
#include "rebasin/repair.h"
#include "support/expect_error.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::BytesOf;
using testing::GraphPtr;
using testing::NumbersOf;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

// Mean and deviation of the channels at the sites within, over all of `data`.
struct SiteMoments {
  std::vector<std::vector<double>> mean = {}, deviation = {};
};

std::vector<RepairSite> InnerSites(const Graph& graph) {
  std::vector<RepairSite> sites = RepairSites(graph);
  std::erase_if(sites, [](const RepairSite& site) { return site.is_output; });
  return sites;
}

std::vector<double> ToVector(const at::Tensor& tensor) {
  const at::Tensor numbers = tensor.to(at::kDouble).contiguous();
  return {numbers.data_ptr<double>(),
          numbers.data_ptr<double>() + numbers.numel()};
}

SiteMoments Measure(const GraphPtr& graph, const Checkpoint& model,
                    const Dataset& data) {
  const nn::Classifier classifier(graph, data, {});
  const auto weights = classifier.Prepare(nn::Weights(graph, model));
  const std::vector<RepairSite> sites = InnerSites(*graph);
  SiteMoments found;
  found.mean.resize(sites.size());
  found.deviation.resize(sites.size());
  std::vector<nn::ValueHook> hooks;
  for (size_t s = 0; s < sites.size(); ++s) {
    hooks.push_back({sites[s].value, [&, s](const at::Tensor& value) {
                       const at::Tensor rows =
                           value.transpose(0, sites[s].channel_axis)
                               .flatten(1)
                               .to(at::kDouble);
                       found.mean[s] = ToVector(rows.mean(1));
                       found.deviation[s] = ToVector(rows.std(1, false));
                       return value;
                     }});
  }
  ThreadPool pool(1);
  nn::ForBatches(
      pool, data, {.batch_size = data.size()}, {},
      [&](int64_t, const at::Tensor& examples, std::span<const int64_t>) {
        classifier.Logits(weights, examples, {.hooks = hooks});
      });
  return found;
}

struct Merging {
  GraphPtr graph;
  Dataset data;
  std::vector<Checkpoint> models;
  std::vector<double> shares = {0.3, 0.7};
  Checkpoint merged = {};

  Merging(GraphPtr g, Dataset d)
      : graph(std::move(g)),
        data(std::move(d)),
        models({RandomNetwork(*graph, 1), RandomNetwork(*graph, 2)}) {
    merged = Merge({{{.model = &models[0]}, {.model = &models[1]}}},
                   {.weights = shares});
  }
  Checkpoint Repaired(ActivationRepair method,
                      const CalibrateOptions& options = {},
                      const Run& run = {}) const {
    return RepairActivations(graph, merged, models, shares, data, method,
                             options, run);
  }
};

void ExpectGoals(const Merging& merging, ActivationRepair method) {
  const Checkpoint repaired = merging.Repaired(method);
  const SiteMoments a = Measure(merging.graph, merging.models[0], merging.data);
  const SiteMoments b = Measure(merging.graph, merging.models[1], merging.data);
  const SiteMoments now = Measure(merging.graph, repaired, merging.data);
  ASSERT_FALSE(now.mean.empty());
  for (size_t s = 0; s < now.mean.size(); ++s) {
    for (size_t c = 0; c < now.mean[s].size(); ++c) {
      const double deviation =
          0.3 * a.deviation[s][c] + 0.7 * b.deviation[s][c];
      EXPECT_NEAR(now.deviation[s][c], deviation, 0.03 * deviation + 1e-3);
      if (method == ActivationRepair::kRescale) continue;
      const double mean = 0.3 * a.mean[s][c] + 0.7 * b.mean[s][c];
      EXPECT_NEAR(now.mean[s][c], mean, 0.03 * deviation + 1e-3);
    }
  }
}

TEST(RepairActivations, GivesEveryChannelItsParentsMeanAndDeviation) {
  ExpectGoals({SmallMlp(), Blobs({6}, 4, 200, 1)}, ActivationRepair::kRepair);
}

TEST(RepairActivations, GivesEveryChannelItsParentsDeviationByRescaling) {
  ExpectGoals({SmallMlp(), Blobs({6}, 4, 200, 1)}, ActivationRepair::kRescale);
}

TEST(RepairActivations, RepairsWhatNormsMake) {
  ExpectGoals({SmallConvNet(), Blobs({1, 8, 8}, 4, 100, 1)},
              ActivationRepair::kRepair);
}

TEST(RepairActivations, ChangesNothingInAModelMergedWithItself) {
  Merging merging(SmallMlp(), Blobs({6}, 4, 200, 1));
  merging.models[1] = merging.models[0];
  merging.merged = merging.models[0];
  for (auto method : {ActivationRepair::kRepair, ActivationRepair::kRescale}) {
    const Checkpoint repaired = merging.Repaired(method);
    for (const Tensor& tensor : repaired.tensors()) {
      const auto before = NumbersOf(merging.merged, tensor.name);
      const auto after = NumbersOf(repaired, tensor.name);
      for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(after[i], before[i], 1e-5 * (1 + std::abs(before[i])))
            << tensor.name;
      }
    }
  }
}

TEST(RepairActivations, MovesMeansAlongWithDeviationsWhenItRescales) {
  const Merging merging(SmallMlp(), Blobs({6}, 4, 200, 1));
  const Checkpoint repaired = merging.Repaired(ActivationRepair::kRescale);
  const SiteMoments before =
      Measure(merging.graph, merging.merged, merging.data);
  const SiteMoments after = Measure(merging.graph, repaired, merging.data);
  // The first site sees the same inputs before and after.
  for (size_t c = 0; c < before.mean[0].size(); ++c) {
    EXPECT_NEAR(after.mean[0][c] / after.deviation[0][c],
                before.mean[0][c] / before.deviation[0][c], 1e-3);
  }
}

TEST(RepairActivations, LeavesTheOutputLayerAlone) {
  const Merging merging(SmallMlp(), Blobs({6}, 4, 200, 1));
  const Checkpoint repaired = merging.Repaired(ActivationRepair::kRepair);
  for (const char* name : {"fc3.weight", "fc3.bias"}) {
    EXPECT_EQ(NumbersOf(repaired, name), NumbersOf(merging.merged, name));
  }
}

TEST(RepairActivations, GivesTheSameBytesForAnyNumberOfThreads) {
  const Merging merging(SmallConvNet(), Blobs({1, 8, 8}, 4, 90, 1));
  const auto bytes = [&](int threads) {
    return BytesOf(merging.Repaired(ActivationRepair::kRepair,
                                    {.batch_size = 20}, {.threads = threads}));
  };
  const std::string one = bytes(1);
  for (int threads : {2, 5}) EXPECT_EQ(bytes(threads), one);
}

TEST(RepairActivations, LeavesDeadUnitsAlone) {
  Merging merging(SmallMlp(), Blobs({6}, 4, 200, 1));
  merging.merged = testing::Changed(merging.merged, "fc1.weight", 0);
  const Checkpoint repaired = merging.Repaired(ActivationRepair::kRepair);
  EXPECT_TRUE(testing::AllFinite(repaired));
}

TEST(RepairActivations, RefusesNetworksWithoutSites) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kOpenSize, 6}, Kind::kFloat, {"batch"});
  g.Output(zoo::Linear(g, "fc", x, 4), "output");
  const Merging merging(std::make_shared<const Graph>(g.Build()),
                        Blobs({6}, 4, 20, 1));
  ExpectError(ErrorCode::kUnsupported, {"nothing to repair"},
              [&] { merging.Repaired(ActivationRepair::kRepair); });
}

TEST(RepairActivations, RefusesSharesThatDoNotFitTheModels) {
  Merging merging(SmallMlp(), Blobs({6}, 4, 20, 1));
  merging.shares = {1};
  ExpectError(ErrorCode::kMismatch, {"2 models", "1 shares"},
              [&] { merging.Repaired(ActivationRepair::kRepair); });
}

}  // namespace
}  // namespace rebasin
