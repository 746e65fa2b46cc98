// Makes the batches of an epoch, one at a time.

#ifndef REBASIN_DATA_BATCH_MAKER_H_
#define REBASIN_DATA_BATCH_MAKER_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "data/augment.h"
#include "data/example_reader.h"
#include "rebasin/nn/data.h"

namespace rebasin {

// An epoch: its number and the order of its examples.
struct Epoch {
  int64_t number = 0;
  std::vector<int64_t> order;
};

// Reusable memory for one batch.
struct BatchBuffer {
  int64_t size = 0;
  std::vector<float> examples;
  std::vector<int64_t> labels;
  Augmenter::Scratch scratch;
};

// Thread-safe if each thread has its own buffer.
class BatchMaker {
 public:
  // Throws Error(kUsage) for options that are out of range or do not fit the
  // data. The data set must outlive the object.
  BatchMaker(const Dataset& dataset, const LoaderOptions& options);

  int64_t batches() const { return batches_; }

  Epoch MakeEpoch(int64_t number) const;
  BatchBuffer MakeBuffer() const;
  // Fills `buffer` with a batch, which depends only on the epoch and the
  // number. Returns early if `interrupted` becomes true.
  void Make(const Epoch& epoch, int64_t batch,
            const std::atomic<bool>& interrupted, BatchBuffer& buffer) const;

 private:
  uint64_t EpochSeed(int64_t epoch) const;

  const Dataset& dataset_;
  ExampleReader reader_;
  Augmenter augmenter_;
  int64_t batch_size_ = 0;
  int64_t batches_ = 0;
  bool shuffle_ = false;
  uint64_t seed_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_DATA_BATCH_MAKER_H_
