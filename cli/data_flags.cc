#include "cli/data_flags.h"

#include <algorithm>

#include "cli/arguments.h"
#include "cli/progress.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

constexpr const char* kGroup = "Data";

std::vector<int64_t> ParseClasses(const std::string& text) {
  std::vector<int64_t> classes;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    classes.push_back(
        ParseInteger("--classes", text.substr(begin, end - begin), 0, 1 << 30));
    begin = end + 1;
  }
  return classes;
}

}  // namespace

void DataFlags::AddTo(CLI::App& command, bool required) {
  command
      .add_option("--data", data,
                  "A folder with MNIST, CIFAR-10 or CIFAR-100 files, an .npz "
                  "file, or a folder with train.npz and test.npz")
      ->group(kGroup)
      ->required(required)
      ->type_name("PATH");
  command
      .add_option("--normalize", normalize,
                  "Normalization: none, mnist, cifar10, cifar100, imagenet, or "
                  "means/deviations; default: that of the models' training, "
                  "else the usual one for the data")
      ->group(kGroup)
      ->type_name("WORD|M,../D,..");
}

ModelData DataFlags::Open(Console& console,
                          const std::vector<const Checkpoint*>& models) const {
  return OpenDataFor(models, data, normalize,
                     {.npy_bf16 = console.context().file.npy_bf16},
                     RunFor(console));
}

void SubsetFlags::AddTo(CLI::App& command) {
  command.add_option("--classes", classes, "Train on these classes only")
      ->group(kGroup)
      ->type_name("N,N,...");
  command
      .add_option("--split-bias", split_bias,
                  "Train on a share of the lower half of the classes and a "
                  "share of the upper half; 0.2/0.8 and 0.8/0.2 are disjoint")
      ->group(kGroup)
      ->type_name("X/X");
  command
      .add_option("--fraction", fraction,
                  "Train on a random share of each class")
      ->group(kGroup)
      ->type_name("X");
  command
      .add_option("--split-seed", split_seed,
                  "Seed of the selected examples; default 0")
      ->group(kGroup)
      ->type_name("N");
}

Dataset SubsetFlags::Select(const Dataset& data) const {
  const uint64_t seed = ParseSeed(split_seed);
  Dataset selected = data;
  if (!classes.empty()) {
    selected = SelectClasses(selected, ParseClasses(classes));
  }
  if (!split_bias.empty()) {
    const size_t slash = split_bias.find('/');
    if (slash == std::string::npos) {
      throw Error(ErrorCode::kUsage,
                  "--split-bias is two shares such as 0.2/0.8, not " +
                      Quoted(split_bias));
    }
    selected = SelectBiased(
        selected, ParseShare("--split-bias", split_bias.substr(0, slash)),
        ParseShare("--split-bias", split_bias.substr(slash + 1)), seed);
  }
  if (!fraction.empty()) {
    selected =
        SelectFraction(selected, ParseShare("--fraction", fraction), seed);
  }
  return selected;
}

void ComputeFlags::AddTo(CLI::App& command) {
  command
      .add_option("--precision", precision,
                  "Precision: f32 (default), f64, or bf16 (f32 with products "
                  "in bfloat16, faster on processors with AVX512_BF16)")
      ->group("Computing")
      ->type_name("WORD");
  command.add_option("--device", device, "Device: cpu (default), or cuda[:N]")
      ->group("Computing")
      ->type_name("NAME");
}

ComputeOptions ComputeFlags::Options() const {
  return {.precision = ParseChoice<Precision>("--precision", precision,
                                              {{"f32", Precision::kFloat32},
                                               {"f64", Precision::kFloat64},
                                               {"bf16", Precision::kBFloat16}}),
          .device = device};
}

}  // namespace rebasin::cli
