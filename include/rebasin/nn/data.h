// Labelled examples: images or plain vectors, and the batches that networks
// are trained and evaluated on.
//
// Read here: MNIST-style IDX files (plain or .gz), the official CIFAR-10 and
// CIFAR-100 binary files, and .npz files with arrays x and y. Files are
// recognised by content, checked exactly, and never executed or unpickled.

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

// Immutable; copies and selections share the pixels. Safe to read from any
// number of threads.
class Dataset {
 public:
  Dataset() = default;
  // Of bytes (read as value / 255) or of floats (read as they are), examples
  // one after another. Labels may be empty (none known), else one for each
  // example, each in [0, classes). Throws Error(kMismatch) if sizes disagree,
  // Error(kBadInput) if a label is out of range.
  Dataset(std::string name, Shape example_shape, std::vector<uint8_t> pixels,
          std::vector<int32_t> labels, int64_t classes);
  Dataset(std::string name, Shape example_shape, std::vector<float> values,
          std::vector<int32_t> labels, int64_t classes);

  const std::string& name() const { return name_; }  // "CIFAR-10 test"
  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  bool empty() const { return rows_.empty(); }
  // Images are [channels, height, width].
  const Shape& example_shape() const { return example_shape_; }
  int64_t example_size() const;
  bool is_image() const { return example_shape_.size() == 3; }
  bool has_labels() const;
  int64_t classes() const { return classes_; }
  int32_t label(int64_t example) const;  // requires has_labels()

  // The examples at `rows`, in that order; a row may come more than once.
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

// Either part may be empty.
struct DataSplits {
  Dataset train;
  Dataset test;
};

struct DataOptions {
  // As in OpenOptions, for examples in .npz files.
  bool npy_bf16 = false;
};

// `path` is a directory with the official files of MNIST (or anything in its
// IDX form: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-..., each
// perhaps .gz), CIFAR-10 (data_batch_1.bin ... test_batch.bin), CIFAR-100
// (train.bin, test.bin), or train.npz and/or test.npz; or one .npz or CIFAR
// .bin file, which is then the test part, with train left empty. Throws
// Error(kBadInput, kMismatch, kUnsupported, kIo, kLimit), and Error(kUsage) if
// a directory holds more than one data set.
DataSplits OpenData(const std::filesystem::path& path,
                    const DataOptions& options = {}, const Run& run = {});

// What is subtracted and divided by, for each channel or once for all.
struct Normalization {
  std::vector<float> mean;  // empty: leave the values as they are
  std::vector<float> deviation;
};

// "none", "mnist", "cifar10", "cifar100", "imagenet", or numbers for each
// channel such as "0.5,0.5,0.5/0.25,0.25,0.25". Throws Error(kUsage).
Normalization ParseNormalization(std::string_view text);

// Under this key of its metadata a model says how its data was normalised.
inline constexpr const char* kNormalizeKey = "rebasin.normalize";

// The text that all models were trained with, or `asked`, if it is not empty.
// Empty: nobody says. Throws Error(kMismatch) if two of them disagree.
std::string AgreedNormalization(const std::string& asked,
                                std::span<const Checkpoint* const> models);

// The text that fits a data set by default: the one named like it, else "none".
std::string DefaultNormalization(const Dataset& dataset);

// Who says how data is normalised.
enum class NormalizationSource {
  kAsked,
  kMetadata,  // of the models
  kAssumed,   // nobody: it is what is usual for such data
};

// Data as models are to see it.
struct ModelData {
  DataSplits splits = {};
  std::string normalize = {};  // the text of what follows
  Normalization normalization = {};
  NormalizationSource source = NormalizationSource::kAsked;

  // "MNIST test, normalised as mnist".
  std::string Describe(const Dataset& part) const;

  // At most `count` examples of what may be used to match and to calibrate: the
  // training part, or the test part if there is no other.
  Dataset Calibration(int64_t count) const;
};

// Opens data and normalises it as `asked` says (see ParseNormalization); else
// as the models were trained, if their metadata says so; else as is usual for
// such data. Warns if models are given and nobody says how their data was
// normalised, and if the normalised values are far from mean 0 and deviation 1.
// Throws Error(kMismatch) if two of these contradict each other, and what
// OpenData throws.
ModelData OpenDataFor(std::span<const Checkpoint* const> models,
                      const std::filesystem::path& path,
                      const std::string& asked, const DataOptions& options = {},
                      const Run& run = {});

// The first `count` examples; all if there are fewer.
Dataset SelectFirst(const Dataset& dataset, int64_t count);

// Data in two: what is learnt from, and what judges.
struct HeldOut {
  Dataset train;
  Dataset judge;
  int64_t batch_size = 0;  // that the judge's examples are to be run in
};

// Draws `count` examples to judge by, chosen by the seed alone, of each class
// in proportion to its share; 0: a tenth, at most 5,000. With `full_batches`,
// as many of them as make batches of one size, at most 250: where BatchNorm
// looks at whole batches, a small one would count for too much. Throws
// Error(kUsage) if nothing is left to learn from, Error(kMismatch) if there is
// not enough for both.
HeldOut HoldOut(const Dataset& data, int64_t count, bool full_batches,
                uint64_t seed);

// Subsets, each drawn by `seed` alone, in ascending order of row.
// Only these classes (labels are kept). Throws Error(kUsage) if one is not in
// the data set.
Dataset SelectClasses(const Dataset& dataset, std::span<const int64_t> classes);
// A share of each class, at least one example of each.
Dataset SelectFraction(const Dataset& dataset, double fraction, uint64_t seed);
// A share `low` of the lower half of the classes and `high` of the upper half.
// The selections (p, q) and (1 - p, 1 - q) with the same seed are disjoint and
// together are everything (the paper's split experiment: 0.2/0.8), except
// for two halves of 0.5, which are one and the same selection.
Dataset SelectBiased(const Dataset& dataset, double low, double high,
                     uint64_t seed);

// The paper's augmentation of images: resized by a random factor, rotated by a
// random angle, flipped, and cropped back to size at a random place; all in
// one bilinear sampling. Outside of the image is zero before normalisation.
struct Augmentation {
  double least_scale = 1, most_scale = 1;
  double degrees = 0;  // rotation within +-degrees
  bool flip = false;
  bool crop = false;  // at a random place; else centred

  bool any() const;
};
Augmentation PaperAugmentation();  // 0.8 to 1.2, 30 degrees, flip, crop

struct LoaderOptions {
  int64_t batch_size = 500;
  bool shuffle = false;  // a new order each epoch, from seed and epoch alone
  uint64_t seed = 0;
  bool drop_last = false;  // leave out a last batch that is not full
  Normalization normalization = {};
  Augmentation augmentation = {};
  int threads = 1;  // that prepare batches ahead; 0: prepare when asked
};

struct Batch {
  int64_t size = 0;
  std::span<const float> examples;  // size * example_size, normalised
  std::span<const int64_t> labels;  // empty if the data has none
};

// Hands out the batches of one epoch after the other. The content of batch b
// of epoch e depends on the data set, the options but threads, e and b only,
// so that work can be resumed anywhere. Not thread-safe itself.
class Loader {
 public:
  Loader(Dataset dataset, const LoaderOptions& options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  int64_t batches() const;  // in an epoch

  // Call before Next; may be called at any time.
  void Start(int64_t epoch, int64_t first_batch = 0);
  // False at the end of the epoch. The batch is valid until the next call.
  bool Next(Batch* batch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One batch, for whoever evaluates batches in parallel: examples [begin,
// begin + labels.size()) of the data set. `labels` may be null.
void ReadBatch(const Dataset& dataset, const Normalization& normalization,
               int64_t begin, int64_t count, std::span<float> examples,
               std::vector<int64_t>* labels);

}  // namespace rebasin

#endif  // REBASIN_NN_DATA_H_
