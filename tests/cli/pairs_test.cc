// Two .onnx files: whether they compute alike, and what in them is trained.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "cli/program.h"
#include "onnx/onnx.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "support/onnx_models.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::RunIn;

constexpr int64_t kWidth = 12;
constexpr int64_t kSteps = 9;

// Of tables, so that what is around them has a say in matching.
constexpr float kSmall = 0.1f;

std::vector<float> Noise(int64_t size, uint32_t seed, float deviation = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(static_cast<size_t>(size));
  for (float& value : values) value = normal(random);
  return values;
}

void AddLayer(OnnxBuilder& onnx, const std::string& name, int64_t out,
              int64_t in, uint32_t seed) {
  onnx.Weight(name + ".weight", {out, in}, Noise(out * in, seed));
  onnx.Weight(name + ".bias", {out}, Noise(out, seed + 1));
}

OnnxBuilder Mlp(uint32_t seed, const std::string& activation) {
  OnnxBuilder onnx;
  onnx.Input("x", {-1, 6}, {"batch"});
  AddLayer(onnx, "fc1", kWidth, 6, seed);
  AddLayer(onnx, "fc2", 3, kWidth, seed + 10);
  SetInt(onnx.Node("Gemm", {"x", "fc1.weight", "fc1.bias"}, {"h"}), "transB",
         1);
  onnx.Node(activation, {"h"}, {"r"});
  SetInt(onnx.Node("Gemm", {"r", "fc2.weight", "fc2.bias"}, {"y"}), "transB",
         1);
  onnx.Output("y");
  return onnx;
}

OnnxBuilder ConvNet(uint32_t seed, const std::vector<int64_t>& pads) {
  OnnxBuilder onnx;
  onnx.Input("x", {1, 3, 8, 8});
  onnx.Weight("c1.weight", {kWidth, 3, 3, 3}, Noise(kWidth * 27, seed));
  onnx.Weight("c2.weight", {5, kWidth, 3, 3}, Noise(5 * kWidth * 9, seed + 1));
  onnx.Node("Conv", {"x", "c1.weight"}, {"h"});
  onnx.Node("Relu", {"h"}, {"r"});
  SetInts(onnx.Node("Conv", {"r", "c2.weight"}, {"c"}), "pads", pads);
  onnx.Node("GlobalAveragePool", {"c"}, {"p"});
  onnx.Node("Flatten", {"p"}, {"y"});
  onnx.Output("y");
  return onnx;
}

// A norm written out, as exporters do, with its epsilon as a constant.
OnnxBuilder Normed(uint32_t seed, float epsilon) {
  OnnxBuilder onnx(18);
  onnx.Input("x", {2, 6});
  onnx.Weight("w1", {6, kWidth}, Noise(6 * kWidth, seed));
  onnx.Weight("gain", {kWidth}, std::vector<float>(kWidth, 1.0f));
  onnx.Weight("w2", {kWidth, 3}, Noise(3 * kWidth, seed + 1));
  onnx.Weight("onnx::Add_1", {}, {epsilon});
  onnx.Node("MatMul", {"x", "w1"}, {"h"});
  onnx.Node("Mul", {"h", "h"}, {"s"});
  auto& axes = onnx.Tensor("axes", {1}, onnx::TensorProto::INT64);
  axes.add_int64_data(-1);
  onnx.Node("ReduceMean", {"s", "axes"}, {"m"});
  onnx.Node("Add", {"m", "onnx::Add_1"}, {"e"});
  onnx.Node("Sqrt", {"e"}, {"d"});
  onnx.Node("Div", {"h", "d"}, {"n"});
  onnx.Node("Mul", {"n", "gain"}, {"g"});
  onnx.Node("MatMul", {"g", "w2"}, {"y"});
  onnx.Output("y");
  return onnx;
}

// Tokens [steps, 6], projected to `width`, then `mix` applied to "h", whose
// result is "m", then two dense layers.
OnnxBuilder Sequence(uint32_t seed,
                     const std::function<void(OnnxBuilder&)>& mix) {
  OnnxBuilder onnx;
  onnx.Input("x", {kSteps, 6});
  onnx.Weight("in", {6, kWidth}, Noise(6 * kWidth, seed));
  onnx.Weight("up", {kWidth, 16}, Noise(16 * kWidth, seed + 1));
  onnx.Weight("down", {16, 3}, Noise(16 * 3, seed + 2));
  onnx.Node("MatMul", {"x", "in"}, {"h"});
  mix(onnx);
  onnx.Node("MatMul", {"m", "up"}, {"u"});
  onnx.Node("Relu", {"u"}, {"r"});
  onnx.Node("MatMul", {"r", "down"}, {"y"});
  onnx.Output("y");
  return onnx;
}

std::vector<float> Sinusoids() {
  std::vector<float> table;
  for (int64_t p = 0; p < kSteps; ++p) {
    for (int64_t c = 0; c < kWidth; ++c) {
      const double w = std::pow(100.0, -static_cast<double>(c / 2) / kWidth);
      table.push_back(static_cast<float>(
          c % 2 == 0 ? std::sin(static_cast<double>(p) * w)
                     : std::cos(static_cast<double>(p) * w)));
    }
  }
  return table;
}

// A table of kSteps x kWidth that is added or multiplied.
std::function<void(OnnxBuilder&)> Table(const std::string& op,
                                        const std::string& name,
                                        std::vector<float> values) {
  return [=](OnnxBuilder& onnx) {
    onnx.Weight(name, {kSteps, kWidth}, values);
    onnx.Node(op, {"h", name}, {"m"});
  };
}

class Pair : public TempDir {
 public:
  Pair(const OnnxBuilder& a, const OnnxBuilder& b) {
    Write("a.onnx", a.Bytes());
    Write("b.onnx", b.Bytes());
  }
  Outcome Run(const std::vector<std::string>& args) const {
    return RunIn(*this, args);
  }
  Outcome Merge(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = {"merge", "a.onnx", "b.onnx", "-o",
                                     "m.onnx"};
    args.insert(args.end(), more.begin(), more.end());
    return Run(args);
  }
  // Any initializer, trained or not.
  std::vector<float> Values(const std::string& file,
                            const std::string& name) const {
    const Checkpoint all = ReadOnnxWeights(path() / file, {.trained = {"*"}});
    const Tensor& tensor = *all.Find(name);
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    return values;
  }
};

void ExpectDifferentGraphs(const Pair& pair, const std::string& difference) {
  const Outcome diff = pair.Run({"diff", "a.onnx", "b.onnx"});
  EXPECT_EQ(diff.exit_code, 1) << diff.err;
  EXPECT_THAT(diff.out, HasSubstr(difference));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--align", "none"}, {"--no-verify"}}) {
    const Outcome merge = pair.Merge(more);
    EXPECT_EQ(merge.exit_code, 4) << merge.out;
    EXPECT_TRUE(merge.says(difference)) << merge.err;
    EXPECT_FALSE(std::filesystem::exists(pair / "m.onnx"));
  }
  const Outcome match = pair.Run({"match", "a.onnx", "b.onnx"});
  EXPECT_EQ(match.exit_code, 4) << match.out;
  EXPECT_TRUE(match.says(difference)) << match.err;
}

TEST(Pairs, X07_OtherOperatorsAreRefused) {
  ExpectDifferentGraphs(Pair(Mlp(1, "Relu"), Mlp(1, "Tanh")),
                        "Relu \"Relu_2\": operator Relu in A, Tanh in B");
  ExpectDifferentGraphs(Pair(Mlp(1, "Relu"), Mlp(2, "Sigmoid")),
                        "operator Relu in A, Sigmoid in B");
}

TEST(Pairs, X07_OtherAttributesAreRefused) {
  ExpectDifferentGraphs(
      Pair(ConvNet(1, {0, 0, 0, 0}), ConvNet(1, {1, 1, 1, 1})),
      "attribute \"pads\" [0, 0, 0, 0] in A, [1, 1, 1, 1] in B");
}

TEST(Pairs, X07_OtherConstantsAreRefused) {
  ExpectDifferentGraphs(Pair(Normed(1, 1e-5f), Normed(1, 1e-3f)),
                        "input 2 (a constant) 1e-05 in A, 0.001 in B");
}

TEST(Pairs, X07_AllModelsOfAMergeAreCompared) {
  const Pair pair(Mlp(1, "Relu"), Mlp(2, "Relu"));
  pair.Write("c.onnx", Mlp(3, "Tanh").Bytes());
  const Outcome run =
      pair.Run({"merge", "a.onnx", "b.onnx", "c.onnx", "-o", "m.onnx"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(run.says("c.onnx")) << run.err;
  const Outcome base = pair.Merge({"--base", "c.onnx"});
  EXPECT_EQ(base.exit_code, 4);
  EXPECT_TRUE(base.says("c.onnx")) << base.err;
}

TEST(Pairs, TheJsonOfDiffListsTheDifferencesOfGraphs) {
  const Pair pair(Mlp(1, "Relu"), Mlp(1, "Tanh"));
  const auto json = pair.Run({"diff", "a.onnx", "b.onnx", "--json"}).json();
  EXPECT_EQ(json["verdict"], "different_graphs");
  ASSERT_EQ(json["graph_differences"].size(), 1u);
  EXPECT_EQ(json["graph_differences"][0]["a"], "Relu");
  EXPECT_EQ(json["graph_differences"][0]["b"], "Tanh");
}

// The same function: other names and order, a default that is stated, a copy,
// and a node that nobody needs.
TEST(Pairs, NamesOrderDefaultsAndDeadNodesDoNotMatter) {
  OnnxBuilder b(13);
  b.Input("input", {4, 6});
  AddLayer(b, "fc2", 3, kWidth, 11);
  AddLayer(b, "fc1", kWidth, 6, 1);
  auto& last = b.Node("Gemm", {"q", "fc2.weight", "fc2.bias"}, {"result"});
  SetInt(last, "transB", 1);
  SetFloat(last, "alpha", 1);
  b.Node("Tanh", {"p"}, {"unused"});
  SetInt(b.Node("Gemm", {"input", "fc1.weight", "fc1.bias"}, {"p"}), "transB",
         1);
  b.Node("Relu", {"p"}, {"p2"});
  b.Node("Identity", {"p2"}, {"q"});
  b.Output("result");
  const Pair pair(Mlp(1, "Relu"), b);
  const Outcome run = pair.Run({"diff", "a.onnx", "b.onnx"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("identical"));
}

// What is the same in both models while all around it differs is no weight.
void ExpectKept(const std::function<void(OnnxBuilder&)>& mix,
                const std::string& name) {
  const Pair pair(Sequence(1, mix), Sequence(50, mix));
  const Outcome run = pair.Merge();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verified"));
  EXPECT_EQ(pair.Values("m.onnx", name), pair.Values("a.onnx", name));
  EXPECT_NE(pair.Values("m.onnx", "up"), pair.Values("a.onnx", "up"));
}

TEST(Pairs, TablesOfPositionsStayAsTheyAre) {
  ExpectKept(Table("Add", "pos", Sinusoids()), "pos");
  ExpectKept(Table("Mul", "onnx::Mul_7", Sinusoids()), "onnx::Mul_7");
  ExpectKept(Table("Add", "pos", Noise(kSteps * kWidth, 99, kSmall)), "pos");
}

TEST(Pairs, MasksOfManyNumbersStayAsTheyAre) {
  ExpectKept(Table("Mul", "onnx::Mul_7", Noise(kSteps * kWidth, 98, kSmall)),
             "onnx::Mul_7");
}

TEST(Pairs, FixedProjectionsStayAsTheyAre) {
  ExpectKept(
      [](OnnxBuilder& onnx) {
        onnx.Weight("filters", {kWidth, kWidth},
                    Noise(kWidth * kWidth, 97, kSmall));
        onnx.Node("MatMul", {"h", "filters"}, {"m"});
      },
      "filters");
}

TEST(Pairs, TheUserIsToldOfTablesAndMayOverrule) {
  const auto table = Table("Add", "pos", Noise(kSteps * kWidth, 99, kSmall));
  const Pair pair(Sequence(1, table), Sequence(50, table));
  const Outcome run = pair.Merge();
  EXPECT_TRUE(run.says("1 tensor, \"pos\"")) << run.err;
  EXPECT_TRUE(run.says("--trained")) << run.err;
  const Outcome trained = pair.Merge({"--trained", "p*", "--force"});
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_FALSE(trained.says("pos")) << trained.err;
  EXPECT_NE(pair.Values("m.onnx", "pos"), pair.Values("a.onnx", "pos"));
}

TEST(Pairs, ConstantsThatTheUserNamesStayAsTheyAre) {
  const auto table = Table("Add", "pos", Noise(kSteps * kWidth, 99, kSmall));
  const Pair pair(Sequence(1, table), Sequence(50, table));
  EXPECT_EQ(pair.Merge({"--constant", "pos"}).exit_code, 0);
  EXPECT_EQ(pair.Values("m.onnx", "pos"), pair.Values("a.onnx", "pos"));
  // But they must be constant.
  const Outcome run = pair.Merge({"--constant", "up", "--force"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(run.says("\"up\" is listed as a constant")) << run.err;
}

TEST(Pairs, NormsAtTheirInitialValuesHoldNothing) {
  const Pair pair(Normed(1, 1e-5f), Normed(50, 1e-5f));
  const Outcome run = pair.Run({"match", "a.onnx", "b.onnx", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(run.says("not permuted")) << run.err;
  EXPECT_EQ(run.json()["groups"].size(), 1u) << run.out;
}

// A layer that fine-tuning left alone keeps its units; others are still
// matched.
TEST(Pairs, FrozenLayersAreToldOfAndLeaveTheOthersFree) {
  const auto nothing = [](OnnxBuilder& onnx) {
    onnx.Node("Relu", {"h"}, {"m"});
  };
  OnnxBuilder tuned = Sequence(50, nothing);
  tuned.graph().mutable_initializer(0)->set_raw_data(
      Sequence(1, nothing).graph().initializer(0).raw_data());
  const Pair pair(Sequence(1, nothing), tuned);
  const Outcome run = pair.Run({"match", "a.onnx", "b.onnx", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("1 tensor, \"in\"")) << run.err;
  EXPECT_EQ(run.json()["groups"].size(), 1u) << run.out;
  const Outcome all =
      pair.Run({"match", "a.onnx", "b.onnx", "--json", "--trained", "in"});
  EXPECT_EQ(all.json()["groups"].size(), 2u) << all.out;
}

TEST(Pairs, ACopyAndAPermutedCopyAreRecognised) {
  const auto table = Table("Add", "pos", Noise(kSteps * kWidth, 99, kSmall));
  const Pair pair(Sequence(1, table), Sequence(1, table));
  const Outcome same = pair.Run({"diff", "a.onnx", "b.onnx"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_THAT(same.out, HasSubstr("identical"));
  EXPECT_FALSE(same.says("not permuted")) << same.err;
  const OnnxModel model = ReadOnnx(pair / "a.onnx");
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(model.graph).symmetry);
  WriteOnnx(pair / "a.onnx",
            Permute(model.weights, Alignment::Random(symmetry, 3)),
            pair / "p.onnx");
  const Outcome permuted = pair.Run({"diff", "a.onnx", "p.onnx"});
  EXPECT_EQ(permuted.exit_code, 0) << permuted.out << permuted.err;
  EXPECT_THAT(permuted.out, HasSubstr("with its units permuted"));
}

// Powers of the hidden units, by an initializer without a name.
std::function<void(OnnxBuilder&)> Powers(uint32_t seed) {
  return [seed](OnnxBuilder& onnx) {
    onnx.Node("Exp", {"h"}, {"e"});
    onnx.Weight("onnx::Pow_3", {kWidth}, Noise(kWidth, seed));
    onnx.Node("Pow", {"e", "onnx::Pow_3"}, {"m"});
  };
}

// Folding makes an anonymous constant of what was trained.
TEST(Pairs, AnonymousConstantsThatDifferAreWeights) {
  const Pair pair(Sequence(1, Powers(5)), Sequence(50, Powers(6)));
  const Outcome run = pair.Merge();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verified"));
  EXPECT_NE(pair.Values("m.onnx", "onnx::Pow_3"),
            pair.Values("a.onnx", "onnx::Pow_3"));
}

// Exporters number what has no name.
OnnxBuilder Numbered(uint32_t seed, const std::string& first,
                     const std::string& second) {
  return Sequence(seed, [=](OnnxBuilder& onnx) {
    onnx.Weight(first, {kWidth, kWidth}, Noise(kWidth * kWidth, seed + 7));
    onnx.Weight(second, {kWidth, kWidth}, Noise(kWidth * kWidth, seed + 8));
    onnx.Node("MatMul", {"h", first}, {"h1"});
    onnx.Node("Relu", {"h1"}, {"h2"});
    onnx.Node("MatMul", {"h2", second}, {"m"});
  });
}

TEST(Pairs, AnonymousWeightsAreKnownByTheirPlace) {
  const Pair pair(Numbered(1, "onnx::MatMul_10", "onnx::MatMul_20"),
                  Numbered(1, "onnx::MatMul_20", "onnx::MatMul_10"));
  const Outcome run = pair.Run({"diff", "a.onnx", "b.onnx"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("identical"));
}

TEST(Pairs, AlignmentsHaveTheNamesOfTheFileThatTheyAreFor) {
  const Pair pair(Numbered(1, "onnx::MatMul_10", "onnx::MatMul_20"),
                  Numbered(50, "onnx::MatMul_20", "val_7"));
  const Outcome match = pair.Run({"match", "a.onnx", "b.onnx", "-o", "b.json"});
  ASSERT_EQ(match.exit_code, 0) << match.err;
  const Outcome apply =
      pair.Run({"apply", "b.onnx", "--align", "b.json", "-o", "p.onnx"});
  EXPECT_EQ(apply.exit_code, 0) << apply.err;
  EXPECT_THAT(apply.out, HasSubstr("verified"));
}

// Only two files together show that the powers are trained; `apply` has one.
TEST(Pairs, AnAlignmentSaysWhatIsTrainedInTheFileThatItIsFor) {
  const Pair pair(Sequence(1, Powers(5)), Sequence(50, Powers(6)));
  const Outcome match = pair.Run(
      {"match", "a.onnx", "b.onnx", "--method", "random", "-o", "b.json"});
  ASSERT_EQ(match.exit_code, 0) << match.err;
  const Outcome apply =
      pair.Run({"apply", "b.onnx", "--align", "b.json", "-o", "p.onnx"});
  EXPECT_EQ(apply.exit_code, 0) << apply.err;
  EXPECT_THAT(apply.out, HasSubstr("verified"));
  EXPECT_NE(pair.Values("p.onnx", "onnx::Pow_3"),
            pair.Values("b.onnx", "onnx::Pow_3"));
}

// A slope for all channels, which folding left without a name.
OnnxBuilder OneSlope(uint32_t seed) {
  return Sequence(seed, [=](OnnxBuilder& onnx) {
    onnx.Weight("onnx::PRelu_9", {1, 1}, Noise(1, seed + 9));
    onnx.Node("PRelu", {"h", "onnx::PRelu_9"}, {"m"});
  });
}

TEST(Pairs, ASlopeOfOneNumberIsAWeight) {
  const Pair pair(OneSlope(1), OneSlope(50));
  const Outcome run = pair.Merge();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verified"));
  const float a = pair.Values("a.onnx", "onnx::PRelu_9")[0];
  const float b = pair.Values("b.onnx", "onnx::PRelu_9")[0];
  EXPECT_FLOAT_EQ(pair.Values("m.onnx", "onnx::PRelu_9")[0], (a + b) / 2);
}

}  // namespace
}  // namespace rebasin
