// Labelled examples, images or plain vectors, and the batches in which networks
// are trained and evaluated.
//
//   const rebasin::DataSplits data = rebasin::OpenData("cifar-10-batches-bin");
//   rebasin::Loader loader(data.train, {.batch_size = 100, .shuffle = true});
//   rebasin::Batch batch;
//   loader.Start(/*epoch=*/0);
//   while (loader.Next(&batch)) Use(batch.examples, batch.labels);
//
// Formats: IDX files as of MNIST (plain or .gz), the official binary files of
// CIFAR-10 and CIFAR-100, and .npz files with arrays x and y. Formats are
// recognised by content and checked strictly; nothing is executed or unpickled.

#ifndef REBASIN_NN_DATA_H_
#define REBASIN_NN_DATA_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

// A set of examples in memory, with or without labels. Immutable, so it is safe
// to read from any number of threads; copies and selections share the pixels.
class Dataset {
 public:
  Dataset() = default;
  // Takes `pixels` (read as value / 255) or `values` (read as they are), one
  // example after another. `labels` is empty, or has one label in [0, classes)
  // for each example. Throws Error(kMismatch) if sizes disagree,
  // Error(kBadInput) if a label is out of range.
  Dataset(std::string name, Shape example_shape, std::vector<uint8_t> pixels,
          std::vector<int32_t> labels, int64_t classes);
  Dataset(std::string name, Shape example_shape, std::vector<float> values,
          std::vector<int32_t> labels, int64_t classes);

  const std::string& name() const { return name_; }  // "CIFAR-10 test"
  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  bool empty() const { return rows_.empty(); }
  // The shape of one example; [channels, height, width] for images.
  const Shape& example_shape() const { return example_shape_; }
  // The number of values in one example.
  int64_t example_size() const;
  bool is_image() const { return example_shape_.size() == 3; }
  bool has_labels() const;
  int64_t classes() const { return classes_; }
  int32_t label(int64_t example) const;  // requires has_labels()

  // Returns the examples at `rows`, in that order; a row may be repeated.
  // Requires rows in [0, size()).
  Dataset Select(std::span<const int64_t> rows) const;

 private:
  friend class ExampleReader;
  struct Content;
  std::string name_;
  Shape example_shape_;
  int64_t classes_ = 0;
  std::shared_ptr<const Content> content_;
  std::vector<int64_t> rows_;  // into the content
};

// The parts of a data set; either may be empty.
struct DataSplits {
  Dataset train;
  Dataset test;
};

// Options for reading examples.
struct DataOptions {
  // Reads two-byte void arrays (V2) of .npz files as bfloat16; see OpenOptions.
  bool npy_bf16 = false;
};

// Reads a data set. `path` is one of:
//
// - a directory with the official files of MNIST or other IDX files of the same
//   names (train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-..., plain or
//   .gz), of CIFAR-10 (data_batch_1.bin ... test_batch.bin) or of CIFAR-100
//   (train.bin, test.bin);
// - a directory with train.npz, test.npz, or both;
// - one .npz file or CIFAR .bin file, which becomes the test part.
//
// Throws Error(kIo) if a file cannot be read, Error(kBadInput) if it is
// damaged, Error(kUnsupported) for formats that are not read, Error(kLimit) if
// it is too large, Error(kMismatch) if files contradict each other, and
// Error(kUsage) if a directory holds more than one data set.
DataSplits OpenData(const std::filesystem::path& path,
                    const DataOptions& options = {}, const Run& run = {});

// Normalised values are (value - mean) / deviation, with one mean and deviation
// for each channel, or one for all channels.
struct Normalization {
  std::vector<float> mean;       // empty: values stay as they are
  std::vector<float> deviation;  // as many as means
};

// Parses "none", "mnist", "cifar10", "cifar100", "imagenet", or means and
// deviations such as "0.5,0.5,0.5/0.25,0.25,0.25". Throws Error(kUsage) for
// other texts.
Normalization ParseNormalization(std::string_view text);

// The metadata key under which a model stores its normalization text.
inline constexpr const char* kNormalizeKey = "rebasin.normalize";

// Returns `asked`, or the normalization in the metadata of the models; empty if
// neither exists. Throws Error(kMismatch) if two of them differ.
std::string AgreedNormalization(const std::string& asked,
                                std::span<const Checkpoint* const> models);

// Returns the usual normalization of a known data set ("mnist", "cifar10",
// ...), recognised by its name; else "none".
std::string DefaultNormalization(const Dataset& dataset);

// The source of a normalization.
enum class NormalizationSource {
  kAsked,
  kMetadata,  // of the models
  kAssumed,   // the usual one for such data
};

// A data set together with the normalization that the models expect.
struct ModelData {
  DataSplits splits = {};
  // The text from which `normalization` was parsed.
  std::string normalize = {};
  Normalization normalization = {};
  NormalizationSource source = NormalizationSource::kAsked;

  // "MNIST test, normalised as mnist".
  std::string Describe(const Dataset& part) const;

  // Returns SelectRandom of the training part, or of the test part if there is
  // no training part. Use the examples for matching and calibration.
  Dataset Calibration(int64_t count, uint64_t seed = 0) const;
  // Returns the next `count` examples of the same part that
  // Calibration(used, seed) has left, for comparing what came of them.
  Dataset BesideCalibration(int64_t used, int64_t count,
                            uint64_t seed = 0) const;
};

// Reads a data set and chooses its normalization: `asked` if it is not empty,
// else that in the metadata of `models`, else the usual one for the data set.
// Warns if there are models but no normalization in their metadata or `asked`,
// and if the normalised values are far from mean 0 and deviation 1. Throws
// Error(kMismatch) if two sources contradict each other, Error(kUsage) if
// `asked` cannot be parsed, and what OpenData throws.
ModelData OpenDataFor(std::span<const Checkpoint* const> models,
                      const std::filesystem::path& path,
                      const std::string& asked, const DataOptions& options = {},
                      const Run& run = {});

// Returns the first `count` examples; all if there are fewer.
Dataset SelectFirst(const Dataset& dataset, int64_t count);

// Returns `count` random examples; all if there are fewer. Every class has its
// share, if there are labels. The order is random too, and such that the first
// examples also have all classes in proportion: of two numbers with one seed,
// the smaller selection is the beginning of the larger one. The choice depends
// only on the data and `seed`.
Dataset SelectRandom(const Dataset& dataset, int64_t count, uint64_t seed);

// Training examples, and held-out examples for comparing candidates.
struct HeldOut {
  Dataset train;
  // The held-out examples.
  Dataset held_out;
  // The batch size for running the held-out examples.
  int64_t batch_size = 0;
};

// Splits `data` into training and held-out examples. Holds out `count`
// examples, or, if `count` is 0, a tenth of them but at most 5,000. Every class
// keeps its share. The choice depends only on the data and `seed`.
//
// With `full_batches`, the number is reduced so that all batches have one size,
// at most 250: BatchNorm with batch statistics would give a small last batch
// too much weight. Throws Error(kUsage) if `count` is negative or leaves
// nothing for training, Error(kMismatch) if `data` has fewer than two examples.
HeldOut HoldOut(const Dataset& data, int64_t count, bool full_batches,
                uint64_t seed);

// Returns the examples of these classes; labels keep their numbers. Throws
// Error(kUsage) if a class does not exist. This and the next two functions
// return examples in ascending order of row.
Dataset SelectClasses(const Dataset& dataset, std::span<const int64_t> classes);
// Returns a random share of each class, at least one example of each. The
// choice depends only on `seed`.
Dataset SelectFraction(const Dataset& dataset, double fraction, uint64_t seed);
// Returns a random share `low` of each class in the lower half of the classes,
// and `high` of each class in the upper half. With one seed, the selections (p,
// q) and (1 - p, 1 - q) are disjoint and complete, as in the paper's split data
// experiment (0.2 and 0.8); only for p = q = 0.5 they are the same selection.
Dataset SelectBiased(const Dataset& dataset, double low, double high,
                     uint64_t seed);

// Random changes to images: resize, rotate, flip, and crop to the original
// size, in one bilinear sampling. Pixels outside the image are 0 before
// normalization.
struct Augmentation {
  // The range of the random resize factor.
  double min_scale = 1, max_scale = 1;
  double degrees = 0;  // maximal rotation, in either direction
  // Mirror every second image, at random.
  bool flip = false;
  bool crop = false;  // at a random position; otherwise centred

  // True if any change is enabled.
  bool any() const;
};
// The paper's augmentation: factors 0.8 to 1.2, 30 degrees, flip and crop.
Augmentation PaperAugmentation();

// Options of a Loader.
struct LoaderOptions {
  int64_t batch_size = 500;
  bool shuffle = false;  // new order each epoch, from seed and epoch
  // The seed of order and augmentation.
  uint64_t seed = 0;
  bool drop_last = false;  // skip the last batch if it is not full
  Normalization normalization = {};
  Augmentation augmentation = {};
  // Threads that prepare batches ahead; 0: batches are prepared in Next.
  int threads = 1;
};

// A batch. The spans point into the Loader.
struct Batch {
  int64_t size = 0;
  std::span<const float> examples;  // size * example_size, normalised
  std::span<const int64_t> labels;  // empty if there are no labels
};

// Prepares the batches of one epoch after another. A batch depends only on the
// data set, the options except `threads`, the epoch and the batch number, so
// training can resume anywhere with the same batches. Use from one thread only.
class Loader {
 public:
  // Starts the worker threads. Throws Error(kUsage) for a batch size below 1, a
  // negative number of threads, or an augmentation that does not fit the
  // examples.
  Loader(Dataset dataset, const LoaderOptions& options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  int64_t batches() const;  // number in an epoch

  // Selects the next batch. Required before the first Next, and allowed at any
  // time after. Throws Error(kUsage) if the epoch has no such batch.
  void Start(int64_t epoch, int64_t first_batch = 0);
  // Stores the next batch and returns true, or returns false at the end of the
  // epoch. The batch is valid until the next call.
  bool Next(Batch* batch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads the examples [begin, begin + count) without a Loader, for batches that
// are evaluated in parallel. `examples` must have count * example_size values.
// `labels` may be null; otherwise it receives `count` labels. Thread-safe.
void ReadBatch(const Dataset& dataset, const Normalization& normalization,
               int64_t begin, int64_t count, std::span<float> examples,
               std::vector<int64_t>* labels);

}  // namespace rebasin

#endif  // REBASIN_NN_DATA_H_
