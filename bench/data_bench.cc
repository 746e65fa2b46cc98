// Times reading, augmenting and batching of images of 3 x 32 x 32.

#include <benchmark/benchmark.h>

#include "data/augment.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

const Shape kShape = {3, 32, 32};

Dataset Images(int64_t count) {
  std::vector<uint8_t> pixels(static_cast<size_t>(count) * 3072);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 2654435761u >> 24);
  }
  std::vector<int32_t> labels(static_cast<size_t>(count));
  return {"CIFAR-10 train", kShape, std::move(pixels), std::move(labels), 10};
}

void BM_Read(benchmark::State& state) {
  const Dataset data = Images(1000);
  const Normalization normalization = ParseNormalization("cifar10");
  std::vector<float> out(1000 * 3072);
  for (auto _ : state) {
    ReadBatch(data, normalization, 0, data.size(), out, nullptr);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * data.size());
}
BENCHMARK(BM_Read);

void BM_Augment(benchmark::State& state) {
  const Augmenter augmenter(PaperAugmentation(), kShape, {0, 0, 0});
  Augmenter::Scratch scratch;
  std::vector<float> image(3072, 0.5f);
  uint64_t seed = 0;
  for (auto _ : state) {
    augmenter.Apply(seed++, image, scratch);
    benchmark::DoNotOptimize(image.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Augment);

// One epoch, with a varying number of threads that prepare batches.
void BM_Load(benchmark::State& state) {
  const Dataset data = Images(10'000);
  Loader loader(data, {.shuffle = true,
                       .normalization = ParseNormalization("cifar10"),
                       .augmentation = PaperAugmentation(),
                       .threads = static_cast<int>(state.range(0))});
  int64_t epoch = 0;
  for (auto _ : state) {
    Batch batch;
    loader.Start(epoch++);
    while (loader.Next(&batch)) benchmark::DoNotOptimize(batch.examples.data());
  }
  state.SetItemsProcessed(state.iterations() * data.size());
}
BENCHMARK(BM_Load)->Arg(0)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace rebasin

BENCHMARK_MAIN();
