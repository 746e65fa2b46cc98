// Times MergeMany against a plain implementation and against pairwise matching.
//
//   many_bench [--threads N] [MODEL...]
//
// Without models it makes 32 MLPs 784-512-512-512-10: permuted copies of one,
// with noise as large as the weights. The plain implementation uses public
// functions only: each model in turn is matched, from its current permutation,
// to the mean of all others, which is recomputed each time, and then permuted.
// It starts with the same joining and runs the same number of rounds. Both run
// once, in turn, on models in memory. `pairs` is the time of matching every
// model except the first to the first.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "rebasin/checkpoint.h"
#include "rebasin/merge.h"
#include "rebasin/symmetry.h"

namespace rebasin {
namespace {

using Models = std::vector<Checkpoint>;
using SymmetryPtr = std::shared_ptr<const Symmetry>;

Tensor RandomTensor(const std::string& name, const Shape& shape, double scale,
                    Random& random) {
  int64_t size = 1;
  for (const int64_t length : shape) size *= length;
  std::vector<float> values(static_cast<size_t>(size));
  for (float& value : values) {
    value = static_cast<float>(scale * random.Normal());
  }
  return MakeTensor(name, shape, values);
}

Checkpoint RandomMlp(uint64_t seed) {
  const std::vector<int64_t> widths = {784, 512, 512, 512, 10};
  Random random(seed);
  std::vector<Tensor> tensors;
  for (size_t l = 1; l < widths.size(); ++l) {
    const std::string layer = "fc" + std::to_string(l);
    const double scale = 1 / std::sqrt(static_cast<double>(widths[l - 1]));
    tensors.push_back(RandomTensor(layer + ".weight",
                                   {widths[l], widths[l - 1]}, scale, random));
    tensors.push_back(
        RandomTensor(layer + ".bias", {widths[l]}, scale, random));
  }
  return Checkpoint(std::move(tensors));
}

Checkpoint Sum(const Checkpoint& x, const Checkpoint& y) {
  std::vector<Tensor> tensors;
  for (size_t t = 0; t < x.tensors().size(); ++t) {
    const auto a = FloatsInPlace(x.tensors()[t]);
    const auto b = FloatsInPlace(y.tensors()[t]);
    std::vector<float> sum(a.begin(), a.end());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
    tensors.push_back(
        MakeTensor(x.tensors()[t].name, x.tensors()[t].shape, sum));
  }
  return Checkpoint(std::move(tensors));
}

Models MadeModels(size_t count) {
  const Checkpoint base = RandomMlp(0);
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(base));
  Models models;
  for (uint64_t m = 1; m <= count; ++m) {
    models.push_back(
        Permute(Sum(base, RandomMlp(m)), Alignment::Random(symmetry, m)));
  }
  return models;
}

double Seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// The mean of the first `count` models except one.
Checkpoint MeanWithout(const Models& models, size_t count, size_t left_out,
                       int threads) {
  std::vector<MergeInput> inputs;
  for (size_t m = 0; m < count; ++m) {
    if (m != left_out) inputs.push_back({.model = &models[m]});
  }
  if (inputs.size() == 1) return *inputs[0].model;
  return Merge(inputs, {}, {.threads = threads});
}

Models PlainMergeMany(const Models& originals, const SymmetryPtr& symmetry,
                      int rounds, int threads) {
  Models models = originals;
  for (int round = 0; round < rounds; ++round) {
    for (size_t m = round == 0 ? 1 : 0; m < models.size(); ++m) {
      const size_t count = round == 0 ? m + 1 : models.size();
      MatchOptions options;
      if (round > 0) options.start = MatchStart::kIdentity;
      const MatchResult found =
          MatchWeights(MeanWithout(models, count, m, threads), models[m],
                       symmetry, options, {.threads = threads});
      models[m] = Permute(models[m], found.alignment, {.threads = threads});
    }
  }
  return models;
}

void MatchToFirst(const Models& models, const SymmetryPtr& symmetry,
                  int threads) {
  for (size_t m = 1; m < models.size(); ++m) {
    MatchWeights(models[0], models[m], symmetry, {}, {.threads = threads});
  }
}

int Run(int argc, char** argv) {
  int threads = 1;
  Models models;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--threads" && i + 1 < argc) {
      threads = std::stoi(argv[++i]);
    } else {
      models.push_back(Checkpoint::Open(word));
    }
  }
  if (models.empty()) models = MadeModels(32);
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(models[0]));
  const double pairs =
      Seconds([&] { MatchToFirst(models, symmetry, threads); });
  ManyResult result;
  const double ours = Seconds(
      [&] { result = MatchMany(models, symmetry, {}, {.threads = threads}); });
  const double plain = Seconds(
      [&] { PlainMergeMany(models, symmetry, result.rounds, threads); });
  std::printf(
      "{\"models\": %zu, \"rounds\": %d, \"spread_before\": %.9g, "
      "\"spread_after\": %.9g, \"seconds\": %.4g, \"plain_seconds\": %.4g, "
      "\"ratio\": %.3g, \"pairs_seconds\": %.4g, \"times_pairs\": %.3g}\n",
      models.size(), result.rounds, result.spread_by_round.front(),
      result.spread_by_round.back(), ours, plain, plain / ours, pairs,
      ours / pairs);
  return 0;
}

}  // namespace
}  // namespace rebasin

int main(int argc, char** argv) try {
  return rebasin::Run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
