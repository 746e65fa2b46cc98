#include "data/batch_maker.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/random.h"
#include "data/seeds.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Examples use their position as index, so this index is free.
constexpr uint64_t kOrderIndex = std::numeric_limits<uint64_t>::max();

int64_t CheckedBatchSize(int64_t size) {
  if (size > 0) return size;
  throw Error(ErrorCode::kUsage, "a batch size of " + std::to_string(size) +
                                     "; it must be at least 1");
}

int64_t CountBatches(int64_t examples, int64_t batch_size, bool drop_last) {
  const int64_t full = examples / batch_size;
  return drop_last || examples % batch_size == 0 ? full : full + 1;
}

}  // namespace

BatchMaker::BatchMaker(const Dataset& dataset, const LoaderOptions& options)
    : dataset_(dataset),
      reader_(dataset, options.normalization),
      augmenter_(options.augmentation, dataset.example_shape(),
                 reader_.zeros()),
      batch_size_(CheckedBatchSize(options.batch_size)),
      batches_(CountBatches(dataset.size(), batch_size_, options.drop_last)),
      shuffle_(options.shuffle),
      seed_(options.seed) {}

uint64_t BatchMaker::EpochSeed(int64_t epoch) const {
  return DeriveSeed(seed_, static_cast<uint64_t>(epoch));
}

Epoch BatchMaker::MakeEpoch(int64_t number) const {
  Epoch epoch{.number = number, .order = {}};
  epoch.order.resize(static_cast<size_t>(dataset_.size()));
  std::iota(epoch.order.begin(), epoch.order.end(), 0);
  if (shuffle_) {
    Random random(DeriveSeed(EpochSeed(number), kOrderIndex));
    random.Shuffle(std::span(epoch.order));
  }
  return epoch;
}

BatchBuffer BatchMaker::MakeBuffer() const {
  // At most the number of examples, even for a larger batch size.
  const int64_t most = std::min(batch_size_, dataset_.size());
  BatchBuffer buffer;
  buffer.examples.resize(static_cast<size_t>(most * dataset_.example_size()));
  if (dataset_.has_labels()) buffer.labels.resize(static_cast<size_t>(most));
  return buffer;
}

void BatchMaker::Make(const Epoch& epoch, int64_t batch,
                      const std::atomic<bool>& interrupted,
                      BatchBuffer& buffer) const {
  const int64_t begin = batch * batch_size_;
  const size_t example_size = static_cast<size_t>(dataset_.example_size());
  const uint64_t seed = EpochSeed(epoch.number);
  buffer.size = std::min(batch_size_, dataset_.size() - begin);
  for (int64_t i = 0; i < buffer.size && !interrupted; ++i) {
    const int64_t position = begin + i;
    const int64_t example = epoch.order[static_cast<size_t>(position)];
    const auto out =
        std::span(buffer.examples)
            .subspan(static_cast<size_t>(i) * example_size, example_size);
    reader_.Read(example, out);
    if (augmenter_.any()) {
      augmenter_.Apply(DeriveSeed(seed, static_cast<uint64_t>(position)), out,
                       buffer.scratch);
    }
    if (dataset_.has_labels()) {
      buffer.labels[static_cast<size_t>(i)] = dataset_.label(example);
    }
  }
}

void ReadBatch(const Dataset& dataset, const Normalization& normalization,
               int64_t begin, int64_t count, std::span<float> examples,
               std::vector<int64_t>* labels) {
  const ExampleReader reader(dataset, normalization);
  const size_t size = static_cast<size_t>(dataset.example_size());
  if (labels != nullptr) labels->clear();
  for (int64_t i = 0; i < count; ++i) {
    reader.Read(begin + i,
                examples.subspan(static_cast<size_t>(i) * size, size));
    if (labels != nullptr && dataset.has_labels()) {
      labels->push_back(dataset.label(begin + i));
    }
  }
}

}  // namespace rebasin
