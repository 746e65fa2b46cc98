#include "cli/trained.h"

#include <gtest/gtest.h>

#include "support/data_files.h"
#include "support/npy_files.h"

namespace rebasin::testing {
namespace {

// Each class has a brightness of its own, and some noise.
std::string ColourImages(int count) {
  std::string pixels, labels;
  uint32_t noise = 1;
  for (int i = 0; i < count; ++i) {
    const int label = i % 4;
    for (int k = 0; k < 3 * 32 * 32; ++k) {
      noise = noise * 1664525 + 1013904223;
      pixels += static_cast<char>(50 * label + (noise >> 27));
    }
    labels += static_cast<char>(label);
  }
  const std::string size = std::to_string(count);
  return NpzFile(
      NpyFile(NpyDictionary("|u1", "(" + size + ", 3, 32, 32)"), pixels),
      NpyFile(NpyDictionary("|u1", "(" + size + ",)"), labels));
}

}  // namespace

Arguments TrainDigits(const std::string& output, int epochs,
                      const std::string& learning_rate) {
  return {"train",
          "--model",
          "mlp:width=24,depth=2",
          "--data",
          DIGITS_FOLDER,
          "--batch-size",
          "50",
          "--lr",
          learning_rate,
          "--epochs",
          std::to_string(epochs),
          "--threads",
          "1",
          "-o",
          output};
}

TrainedFolder::TrainedFolder() {
  EXPECT_EQ(Run(TrainDigits("a.safetensors")).exit_code, 0);
  EXPECT_EQ(
      Run(TrainDigits("b.safetensors") + Arguments{"--seed", "1"}).exit_code,
      0);
}

ResNetFolder::ResNetFolder() {
  std::filesystem::create_directory(*this / "images");
  Write("images/train.npz", ColourImages(48));
  Write("images/test.npz", ColourImages(24));
  for (const std::string name : {"a", "b"}) {
    const Outcome run =
        Run({"train", "--model", "resnet20", "--data", "images", "--epochs",
             "2", "--batch-size", "12", "--augment", "none", "--threads", "1",
             "--seed", name == "a" ? "0" : "1", "-o", name + ".safetensors"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
}

}  // namespace rebasin::testing
