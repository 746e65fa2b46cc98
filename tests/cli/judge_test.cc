// Planted merges, whose verdicts are known, through the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "cli/trained.h"
#include "rebasin/nn/data.h"
#include "support/data_files.h"
#include "support/npy_files.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::RunIn;
using testing::operator+;

using Vector = std::vector<float>;

constexpr size_t kPixels = 64;

Vector PixelsOf(const Dataset& data) {
  Vector pixels(static_cast<size_t>(data.size()) * kPixels);
  ReadBatch(data, {}, 0, data.size(), pixels, nullptr);
  return pixels;
}

std::string NpzOf(const Vector& pixels, const std::vector<int32_t>& labels) {
  const std::string count = std::to_string(labels.size());
  std::string values(pixels.size() * sizeof(float), 0), bytes;
  std::copy_n(reinterpret_cast<const char*>(pixels.data()), values.size(),
              values.data());
  for (const int32_t label : labels) bytes += static_cast<char>(label);
  return NpzFile(NpyFile(NpyDictionary("<f4", "(" + count + ", 64)"), values),
                 NpyFile(NpyDictionary("|u1", "(" + count + ",)"), bytes));
}

std::string NpzOf(const Dataset& data) {
  std::vector<int32_t> labels;
  for (int64_t e = 0; e < data.size(); ++e) labels.push_back(data.label(e));
  return NpzOf(PixelsOf(data), labels);
}

// The logits of a chain of dense layers fc1, fc2, ... for one example.
Vector Logits(const Checkpoint& model, Vector x) {
  for (int layer = 1;; ++layer) {
    const std::string name = "fc" + std::to_string(layer);
    const Tensor* weight = model.Find(name + ".weight");
    if (weight == nullptr) return x;
    if (layer > 1) {
      for (float& unit : x) unit = std::max(unit, 0.0f);
    }
    Vector w(static_cast<size_t>(weight->size()));
    Vector y(static_cast<size_t>(weight->shape[0]));
    ReadFloats(*weight, 0, w);
    ReadFloats(*model.Find(name + ".bias"), 0, y);
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
    }
    x = std::move(y);
  }
}

int32_t EnsembleClass(const Checkpoint& a, const Checkpoint& b,
                      const Vector& example) {
  Vector sum = Logits(a, example);
  const Vector other = Logits(b, example);
  for (size_t c = 0; c < sum.size(); ++c) sum[c] += other[c];
  return static_cast<int32_t>(std::max_element(sum.begin(), sum.end()) -
                              sum.begin());
}

// Mixtures of two images, with the class of the largest mean logit of A and B.
std::string TaughtBy(const Checkpoint& a, const Checkpoint& b,
                     const Vector& pixels, int count) {
  Random random(5);
  const size_t images = pixels.size() / kPixels;
  Vector mixed;
  std::vector<int32_t> labels;
  for (int e = 0; e < count; ++e) {
    const auto share = static_cast<float>(0.4 * random.Uniform());
    const size_t x = random.Below(images), y = random.Below(images);
    Vector example(kPixels);
    for (size_t p = 0; p < kPixels; ++p) {
      example[p] = (1 - share) * pixels[x * kPixels + p] +
                   share * pixels[y * kPixels + p];
    }
    labels.push_back(EnsembleClass(a, b, example));
    mixed.insert(mixed.end(), example.begin(), example.end());
  }
  return NpzOf(mixed, labels);
}

// Each tensor with noise of a share of its own size.
Checkpoint WithNoise(const Checkpoint& model, double share) {
  Random random(3);
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    Vector values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    double squares = 0;
    for (const float value : values) squares += value * value;
    const double size = std::sqrt(squares / static_cast<double>(values.size()));
    for (float& value : values) {
      value += static_cast<float>(share * size * random.Normal());
    }
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

// Parents that know different digits well: a.safetensors saw many of the low
// classes and few of the high ones, b.safetensors the others. They learn from
// the small part of the digits and are judged by the large one.
class Judged : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempDir;
    const DataSplits digits = OpenData(DIGITS_FOLDER);
    std::filesystem::create_directory(*folder_ / "swapped");
    folder_->Write("swapped/train.npz", NpzOf(digits.test));
    folder_->Write("swapped/test.npz", NpzOf(digits.train));
    Train("a.safetensors", {"--split-bias", "0.9/0.1", "--seed", "1"});
    Train("b.safetensors", {"--split-bias", "0.1/0.9", "--seed", "2"});
    Train("c.safetensors", {"--fraction", "0.5", "--seed", "3"});
    const Checkpoint a = Checkpoint::Open(*folder_ / "a.safetensors");
    const Checkpoint b = Checkpoint::Open(*folder_ / "b.safetensors");
    SaveCheckpoint(WithNoise(a, 0.2), *folder_ / "noisy.safetensors");
    std::filesystem::create_directory(*folder_ / "taught");
    folder_->Write("taught/train.npz",
                   TaughtBy(a, b, PixelsOf(digits.train), 20000));
    folder_->Write("taught/test.npz", NpzOf(digits.train));
  }
  static void TearDownTestSuite() { delete folder_; }

  static void Train(const std::string& output, const Arguments& more) {
    const Outcome run =
        Run(Arguments{"train", "--model", "mlp:width=32,depth=2", "--data",
                      "swapped", "--batch-size", "20", "--lr", "0.003",
                      "--epochs", "30", "--threads", "1", "-o", output} +
            more);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }

  static Outcome Run(const Arguments& args) { return RunIn(*folder_, args); }
  static Outcome Eval(const std::string& model, const Arguments& more = {}) {
    return Run(Arguments{"eval", model, "--data", "swapped", "--parents",
                         "a.safetensors", "b.safetensors"} +
               more);
  }

  static TempDir* folder_;
};

TempDir* Judged::folder_ = nullptr;

TEST_F(Judged, AParentItselfIsMostlyThatParent) {
  EXPECT_THAT(Eval("a.safetensors").out,
              HasSubstr("verdict: the merge is mostly model 1\n"));
  EXPECT_THAT(Eval("b.safetensors").out,
              HasSubstr("verdict: the merge is mostly model 2\n"));
}

TEST_F(Judged, AParentWithNoiseIsMostlyThatParent) {
  const Outcome run = Eval("noisy.safetensors", {"--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto kept = run.json()["models"][0]["judgement"]["kept"];
  EXPECT_EQ(kept["verdict"], "the merge is mostly model 1") << kept;
  EXPECT_LT(kept["parents"][0]["agreement"], 1);
  EXPECT_GT(kept["parents"][0]["kept"], kept["parents"][1]["kept"]);
}

TEST_F(Judged, ANetworkTaughtByTheEnsembleKeepsKnowledgeOfBoth) {
  const Outcome trained =
      Run({"train", "--model", "mlp:width=32,depth=2", "--data", "taught",
           "--batch-size", "50", "--lr", "0.003", "--epochs", "6", "--threads",
           "1", "--seed", "7", "-o", "taught.safetensors"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Outcome run = Eval("taught.safetensors", {"--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto kept = run.json()["models"][0]["judgement"]["kept"];
  EXPECT_EQ(kept["verdict"], "the merge keeps knowledge of both parents")
      << kept;
  EXPECT_GT(kept["ensemble_agreement"], kept["parents"][0]["agreement"]);
  EXPECT_GT(kept["ensemble_agreement"], kept["parents"][1]["agreement"]);
}

TEST_F(Judged, AMeanInTheWrongOrderIsWorseThanEither) {
  const Arguments merge = {
      "merge",           "a.safetensors", "b.safetensors", "--align", "none",
      "--repair",        "none",          "--data",        "swapped", "-o",
      "mean.safetensors"};
  const Outcome run = Run(merge);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("verdict: the merge is worse than either parent\n"));
  EXPECT_THAT(Eval("mean.safetensors").out,
              HasSubstr("verdict: the merge is worse than either parent\n"));
}

// Both commands tell the same of the same file.
TEST_F(Judged, MergeJudgesAsEvalDoes) {
  const Outcome merged = Run({"merge", "a.safetensors", "b.safetensors",
                              "--data", "swapped", "--lambda", "0", "--repair",
                              "none", "-o", "copy.safetensors", "--json"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  const auto kept = merged.json()["judgement"]["kept"];
  EXPECT_EQ(kept["verdict"], "the merge is mostly model 1");
  EXPECT_EQ(kept, Eval("copy.safetensors", {"--json"})
                      .json()["models"][0]["judgement"]["kept"]);
}

TEST_F(Judged, TheTextHasAllThatTheVerdictIsMadeOf) {
  const std::string text = Eval("noisy.safetensors").out;
  for (const char* part :
       {"noisy.safetensors as a merge", "merged gets right", "standard error",
        "same prediction", "their ensemble", "an uninvolved network gets about",
        "from how often the models agree"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(Run({"eval", "a.safetensors", "--data", "swapped"}).out,
              Not(HasSubstr("verdict")));
}

TEST_F(Judged, OfThreeParentsOneIsLeftOut) {
  const Outcome run =
      Run({"eval", "c.safetensors", "--data", "swapped", "--parents",
           "a.safetensors", "b.safetensors", "c.safetensors"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("measured by leaving one model out"));
  EXPECT_THAT(run.out, HasSubstr("\nmodel 3 "));
}

TEST_F(Judged, OneParentIsRefused) {
  const Outcome run = Run({"eval", "a.safetensors", "--data", "swapped",
                           "--parents", "b.safetensors"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.says("--parents takes two models or more")) << run.err;
}

}  // namespace
}  // namespace rebasin
