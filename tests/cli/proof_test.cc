// "The same function" is said only of what was proved: for all weights, at all
// sizes, of every group.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include "base/random.h"
#include "cli/program.h"
#include "rebasin/discovery.h"
#include "rebasin/zoo.h"
#include "support/models.h"
#include "support/onnx_models.h"

namespace rebasin {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::ModelFolder;
using testing::Outcome;
using testing::With;

Checkpoint ModelOf(const std::string& architecture, uint64_t seed) {
  return testing::RandomModel(Discover(ZooGraph(architecture)).symmetry, seed);
}

Checkpoint Changed(const Checkpoint& model, const std::string& name,
                   const std::function<float(float)>& change) {
  const Tensor& tensor = *model.Find(name);
  std::vector<float> values(tensor.size());
  ReadFloats(tensor, 0, values);
  for (float& value : values) value = change(value);
  return With(model, MakeTensor(name, tensor.shape, values));
}

void WriteSpec(const ModelFolder& folder, const json& spec) {
  std::ofstream(folder / "wrong.json") << spec;
}

json SpecOf(const ModelFolder& folder, const std::string& architecture) {
  EXPECT_EQ(folder
                .Run({"inspect", "--model", architecture, "-o", "spec.json",
                      "--force"})
                .exit_code,
            0);
  return json::parse(std::ifstream(folder / "spec.json"));
}

// A path that is dead with the weights of a file, and a spec that is wrong
// behind it: one partner of a group is said to be fixed.
struct DeadPath {
  const char* name;
  const char* architecture;
  const char* killer;   // the tensor that stops the path
  float value;          // what it holds then
  const char* partner;  // the tensor whose axis the spec forgets
  int axis;
};

class DeadPaths : public ::testing::TestWithParam<DeadPath> {};

TEST_P(DeadPaths, DoNotHideAWrongSpec) {
  const DeadPath& path = GetParam();
  const ModelFolder folder;
  json spec = SpecOf(folder, path.architecture);
  const Checkpoint model = Changed(ModelOf(path.architecture, 1), path.killer,
                                   [&](float) { return path.value; });
  folder.Save("dead.safetensors", model);
  const std::vector<std::string> verify = {
      "verify", "dead.safetensors", "--model", path.architecture, "--spec"};
  auto right = verify, wrong = verify;
  right.push_back("spec.json");
  wrong.push_back("wrong.json");
  EXPECT_EQ(folder.Run(right).exit_code, 0);

  const int64_t size = model.Find(path.partner)->shape[path.axis];
  spec["tensors"][path.partner][path.axis] = std::to_string(size);
  WriteSpec(folder, spec);
  const Outcome run = folder.Run(wrong);
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("NOT the same function"));
}

INSTANTIATE_TEST_SUITE_P(
    E, DeadPaths,
    ::testing::Values(
        DeadPath{"GainOfZero", "residual_mlp:depth=2,width=8,hidden=6,in=5",
                 "blocks.1.fc2.weight", 0, "blocks.1.fc1.weight", 0},
        DeadPath{"UnitsThatNeverFire", "mlp:depth=2,width=9,in=7", "fc1.bias",
                 -1e4f, "fc2.weight", 1},
        DeadPath{"NormWithoutGain", "resnet20:width=1", "layer2.1.bn1.weight",
                 0, "layer2.1.conv2.weight", 1},
        DeadPath{"TinyProjection",
                 "gpt2:depth=1,width=16,heads=2,vocab=11,context=8,sequence=5",
                 "h.0.mlp.c_proj.weight", 1e-12f, "h.0.mlp.c_fc.bias", 0}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Proof, AGroupOfATensorThatTheGraphDoesNotUseIsNotProved) {
  const ModelFolder folder;
  const char* architecture = "mlp:depth=1,width=6,in=4";
  json spec = SpecOf(folder, architecture);
  spec["groups"]["extra"] = 5;
  spec["tensors"]["extra.weight"] = {"extra"};
  WriteSpec(folder, spec);
  const std::vector<float> five = {1, 2, 3, 4, 5};
  folder.Save("more.safetensors", With(ModelOf(architecture, 1),
                                       MakeTensor("extra.weight", {5}, five)));
  const Outcome run =
      folder.Run({"verify", "more.safetensors", "--model", architecture,
                  "--allow-uncovered", "--spec", "wrong.json"});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("NOT PROVED"));
  EXPECT_THAT(run.out, HasSubstr("\"extra\""));
}

// Features are read at places that a layer states. With most random weights
// these lie outside of the image, where nothing can be seen.
OnnxBuilder SpatialTransformer() {
  OnnxBuilder onnx(16);
  onnx.Input("x", {1, 2, 4, 4});
  onnx.Weight("where.weight", {2, 32}, std::vector<float>(64, 0.001f));
  onnx.Weight("where.bias", {2}, {0.1f, 0.2f});
  onnx.Weight("first.weight", {5, 2, 1, 1}, Counting(10));
  onnx.Weight("second.weight", {3, 5, 1, 1}, Counting(15));
  onnx.Node("Flatten", {"x"}, {"flat"});
  SetInt(onnx.Node("Gemm", {"flat", "where.weight", "where.bias"}, {"at"}),
         "transB", 1);
  auto& shape = onnx.Tensor("shape", {4}, onnx::TensorProto::INT64);
  for (int64_t size : {1, 1, 1, 2}) shape.add_int64_data(size);
  onnx.Node("Reshape", {"at", "shape"}, {"grid"});
  onnx.Node("Conv", {"x", "first.weight"}, {"f"});
  onnx.Node("Relu", {"f"}, {"r"});
  onnx.Node("GridSample", {"r", "grid"}, {"read"});
  onnx.Node("Conv", {"read", "second.weight"}, {"y"});
  onnx.Output("y");
  return onnx;
}

TEST(Proof, GroupsThatFewDrawsSeeAreProvedByMore) {
  const TempDir folder;
  folder.Write("net.onnx", SpatialTransformer().Bytes());
  for (int seed = 0; seed < 5; ++seed) {
    const Outcome run = testing::RunIn(
        folder, {"verify", "net.onnx", "--seed", std::to_string(seed)});
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr("the same function"));
  }
}

// A router whose scores have bounds, which random ones hardly ever reach: which
// of equal ones is chosen depends on the order of the experts.
OnnxBuilder BoundedRouter() {
  OnnxBuilder onnx(16);
  onnx.Input("x", {3, 6});
  std::vector<float> small = Counting(24);
  for (float& value : small) value *= 0.01f;
  onnx.Weight("router.weight", {6, 4}, small);
  onnx.Weight("experts.weight", {4, 3}, Counting(12));
  onnx.Node("MatMul", {"x", "router.weight"}, {"scores"});
  onnx.Node("HardSigmoid", {"scores"}, {"bounded"});
  SetInt(onnx.Node("ArgMax", {"bounded"}, {"best"}), "axis", 1);
  onnx.Node("Gather", {"experts.weight", "best"}, {"y"});
  onnx.Output("y");
  return onnx;
}

TEST(Proof, ASpecWhoseOrderDecidesBetweenEqualScoresIsNotProved) {
  const ModelFolder folder;
  folder.Write("net.onnx", BoundedRouter().Bytes());
  WriteSpec(folder, {{"format", "rebasin-symmetry"},
                     {"version", 1},
                     {"groups", {{"experts", 4}}},
                     {"tensors",
                      {{"router.weight", {"6", "experts"}},
                       {"experts.weight", {"experts", "3"}}}}});
  const std::vector<std::string> verify = {"verify", "net.onnx", "--spec",
                                           "wrong.json"};
  const Outcome run = folder.Run(verify);
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("NOT PROVED: where scores are equal, the "
                                 "order of group \"experts\" decides"));
  auto as_json = verify;
  as_json.push_back("--json");
  EXPECT_EQ(folder.Run(as_json).json()["tie_breakers"],
            json::array({"experts"}));
}

// x * w1, then an operator that cannot be run.
OnnxBuilder NetThatCannotRun(const std::string& op) {
  OnnxBuilder onnx(16);
  onnx.Input("x", {3, 6});
  onnx.Weight("first.weight", {6, 4}, Counting(24));
  onnx.Weight("second.weight", {4, 3}, Counting(12));
  onnx.Node("MatMul", {"x", "first.weight"}, {"h"});
  onnx.Node("Relu", {"h"}, {"r"});
  onnx.Node("MatMul", {"r", "second.weight"}, {"s"});
  onnx.Node(op, {"s"}, {"y"});
  onnx.Output("y");
  return onnx;
}

json SpecOfOutputs(const json& first, const json& second) {
  return {{"format", "rebasin-symmetry"},
          {"version", 1},
          {"groups", {{"hidden", 4}, {"outputs", 3}}},
          {"tensors", {{"first.weight", first}, {"second.weight", second}}}};
}

TEST(Proof, AWrongSpecIsRefusedWhereTheGraphCannotRun) {
  for (const char* op : {"Unique", "Det", "RandomUniformLike"}) {
    const ModelFolder folder;
    folder.Write("net.onnx", NetThatCannotRun(op).Bytes());
    WriteSpec(folder, SpecOfOutputs({"6", "hidden"}, {"hidden", "outputs"}));
    const std::vector<std::string> match = {
        "match",    "net.onnx", "net.onnx", "--spec",    "wrong.json",
        "--method", "random",   "-o",       "align.json"};
    ASSERT_EQ(folder.Run(match).exit_code, 0);
    const Outcome run = folder.Run(
        {"apply", "net.onnx", "--align", "align.json", "-o", "moved.onnx"});
    EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
    EXPECT_TRUE(run.says("not those found in the graph")) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "moved.onnx"));
  }
}

// Names that are not in alphabetical order stand in another order in files.
TEST(Proof, AnAlignmentOfTheGraphItselfIsAppliedWithAWarning) {
  const ModelFolder folder;
  OnnxBuilder onnx(16);
  onnx.Input("x", {3, 6});
  onnx.Weight("z.weight", {6, 4}, Counting(24));
  onnx.Weight("a.weight", {4, 5}, Counting(20));
  onnx.Weight("m.weight", {5, 3}, Counting(15));
  onnx.Node("MatMul", {"x", "z.weight"}, {"h"});
  onnx.Node("Relu", {"h"}, {"r"});
  onnx.Node("MatMul", {"r", "a.weight"}, {"s"});
  onnx.Node("Tanh", {"s"}, {"t"});
  onnx.Node("MatMul", {"t", "m.weight"}, {"u"});
  onnx.Node("Det", {"u"}, {"y"});
  onnx.Output("y");
  folder.Write("net.onnx", onnx.Bytes());
  ASSERT_EQ(folder
                .Run({"match", "net.onnx", "net.onnx", "--method", "random",
                      "-o", "align.json"})
                .exit_code,
            0);
  const Outcome run = folder.Run(
      {"apply", "net.onnx", "--align", "align.json", "-o", "moved.onnx"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(Proof, ASpecOfARecognisedArchitectureIsTested) {
  for (const char* architecture : {"mlp:depth=2,width=8,in=6,out=4",
                                   "residual_mlp:depth=2,width=8,hidden=6,in=5",
                                   "vgg11:head=cifar,classes=10,divide=16"}) {
    const ModelFolder folder;
    json spec = SpecOf(folder, architecture);
    for (const char* name : {"a", "b"}) {
      folder.Save(std::string(name) + ".safetensors",
                  ModelOf(architecture, name[0]));
    }
    // The first bias that moves is left behind.
    for (auto& [name, axes] : spec["tensors"].items()) {
      const std::string fixed =
          std::to_string(ModelOf(architecture, 1).Find(name)->shape[0]);
      if (!name.ends_with("bias") || axes[0] == fixed) continue;
      axes[0] = fixed;
      break;
    }
    WriteSpec(folder, spec);
    const Outcome run =
        folder.Run({"merge", "a.safetensors", "b.safetensors", "--spec",
                    "wrong.json", "-o", "m.safetensors"});
    EXPECT_EQ(run.exit_code, 4) << architecture << run.out << run.err;
    EXPECT_TRUE(run.says("changes the function")) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
  }
}

// Masks and quantised weights lie beside the weights that they belong to.
TEST(Proof, IntegersThatStandForWeightsAreNotLeftBehind) {
  const char* architecture = "mlp:depth=2,width=8,in=6,out=4";
  const auto with = [&](const std::string& name, Shape shape, DType dtype) {
    int64_t bytes = dtype == DType::kI64 ? 8 : 1;
    for (int64_t size : shape) bytes *= size;
    const auto data = std::make_shared<std::vector<std::byte>>(bytes);
    return With(ModelOf(architecture, 1), {.name = name,
                                           .dtype = dtype,
                                           .shape = std::move(shape),
                                           .bytes = *data,
                                           .owner = data});
  };
  const ModelFolder folder;
  const auto exit_code = [&](const Checkpoint& model) {
    folder.Save("c.safetensors", model);
    return folder.Run({"verify", "c.safetensors", "--model", architecture})
        .exit_code;
  };
  EXPECT_EQ(exit_code(with("fc2.mask", {8, 8}, DType::kBool)), 4);
  EXPECT_EQ(exit_code(with("fc2.order", {8}, DType::kI64)), 4);
  EXPECT_EQ(exit_code(with("fc2.codes", {8, 8}, DType::kI8)), 4);
  // Counters, and tables of their own.
  EXPECT_EQ(exit_code(with("fc2.steps", {}, DType::kI64)), 0);
  EXPECT_EQ(exit_code(with("positions", {1, 8}, DType::kI64)), 0);
}

// G: a layer that holds no numbers.
struct NotNumbers {
  const char* name;
  const char* architecture;
  const char* tensor;
  float value;
};

class NotFinite : public ::testing::TestWithParam<NotNumbers> {};

TEST_P(NotFinite, IsNeverTheSameFunction) {
  const NotNumbers& row = GetParam();
  const ModelFolder folder;
  folder.Save("good.safetensors", ModelOf(row.architecture, 1));
  folder.Save("bad.safetensors",
              Changed(ModelOf(row.architecture, 2), row.tensor,
                      [&](float) { return row.value; }));
  const std::string model = row.architecture;
  const std::vector<std::vector<std::string>> commands = {
      {"verify", "bad.safetensors", "--model", model},
      {"match", "good.safetensors", "bad.safetensors", "--model", model, "-o",
       "align.json"},
      {"merge", "good.safetensors", "bad.safetensors", "--model", model, "-o",
       "merged.safetensors"},
      {"merge", "bad.safetensors", "good.safetensors", "--model", model, "-o",
       "merged.safetensors"}};
  for (const auto& command : commands) {
    const Outcome run = folder.Run(command);
    EXPECT_EQ(run.exit_code, 3) << command[0] << ": " << run.out << run.err;
    EXPECT_TRUE(run.says(row.tensor)) << run.err;
    EXPECT_TRUE(run.says("NaN or infinite")) << run.err;
  }
}

INSTANTIATE_TEST_SUITE_P(
    X04, NotFinite,
    ::testing::Values(
        NotNumbers{"Mlp", "mlp:depth=2,width=8,in=5", "fc2.weight",
                   std::numeric_limits<float>::quiet_NaN()},
        NotNumbers{"ResNet", "resnet20", "layer1.0.conv1.weight",
                   -std::numeric_limits<float>::infinity()},
        NotNumbers{"Gpt2",
                   "gpt2:depth=1,width=16,heads=2,vocab=11,context=8,"
                   "sequence=5",
                   "h.0.mlp.c_fc.weight",
                   std::numeric_limits<float>::quiet_NaN()}),
    [](const auto& row) { return std::string(row.param.name); });

std::vector<float> Normal(int64_t size, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return values;
}

void IntConstant(OnnxBuilder& b, const std::string& name,
                 const std::vector<int64_t>& values) {
  onnx::TensorProto& tensor = *b.graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (int64_t value : values) tensor.add_int64_data(value);
}

// name = the size of axis `axis` of x.
void SizeOf(OnnxBuilder& b, const std::string& x, int64_t axis,
            const std::string& name) {
  b.Node("Shape", {x}, {name + "_shape"});
  IntConstant(b, name + "_axis", {axis});
  b.Node("Gather", {name + "_shape", name + "_axis"}, {name});
}

// A head after ReLU: [..., width] -> [..., 3].
void Finish(OnnxBuilder& b, const std::string& x, int64_t width) {
  b.Node("Relu", {x}, {"active"});
  b.Weight("head", {width, 3}, Normal(width * 3, 9));
  b.Node("MatMul", {"active", "head"}, {"y"});
  b.Output("y");
}

// Learned positions, cut to the length of the sequence.
OnnxBuilder CutPositions() {
  OnnxBuilder b;
  b.Input("x", {-1, -1, 4}, {"batch", "length"});
  b.Weight("embed", {4, 6}, Normal(24, 1));
  b.Node("MatMul", {"x", "embed"}, {"h"});
  b.Weight("positions", {30, 6}, Normal(180, 2));
  SizeOf(b, "x", 1, "length_of_x");
  IntConstant(b, "zero", {0});
  b.Node("Slice", {"positions", "zero", "length_of_x", "zero"}, {"rows"});
  b.Node("Add", {"h", "rows"}, {"sum"});
  Finish(b, "sum", 6);
  return b;
}

// Patches of an image of any size, with a table of positions for more of them.
OnnxBuilder CutPatches() {
  OnnxBuilder b;
  b.Input("x", {-1, 2, -1, -1}, {"batch", "", "height", "width"});
  b.Weight("patch.weight", {6, 2, 2, 2}, Normal(48, 1));
  onnx::NodeProto& conv = b.Node("Conv", {"x", "patch.weight"}, {"patches"});
  SetInts(conv, "strides", {2, 2});
  IntConstant(b, "flat", {0, 6, -1});
  b.Node("Reshape", {"patches", "flat"}, {"columns"});
  SetInts(b.Node("Transpose", {"columns"}, {"tokens"}), "perm", {0, 2, 1});
  b.Weight("positions", {1, 900, 6}, Normal(5400, 2));
  SizeOf(b, "tokens", 1, "count");
  IntConstant(b, "zero", {0});
  IntConstant(b, "one", {1});
  b.Node("Slice", {"positions", "zero", "count", "one"}, {"rows"});
  b.Node("Add", {"tokens", "rows"}, {"sum"});
  Finish(b, "sum", 6);
  return b;
}

// Queries of a detector, of which the export used the first five.
OnnxBuilder CutQueries() {
  OnnxBuilder b;
  b.Input("x", {-1, 7, 6}, {"batch"});
  b.Weight("queries", {30, 6}, Normal(180, 1));
  IntConstant(b, "zero", {0});
  IntConstant(b, "five", {5});
  b.Node("Slice", {"queries", "zero", "five", "zero"}, {"used"});
  b.Weight("keys", {6, 6}, Normal(36, 2));
  b.Node("MatMul", {"x", "keys"}, {"k"});
  SetInts(b.Node("Transpose", {"k"}, {"turned"}), "perm", {0, 2, 1});
  b.Node("MatMul", {"used", "turned"}, {"scores"});
  SetInt(b.Node("Softmax", {"scores"}, {"shares"}), "axis", -1);
  b.Node("MatMul", {"shares", "x"}, {"mixed"});
  Finish(b, "mixed", 6);
  return b;
}

struct CutTable {
  const char* name;
  OnnxBuilder (*model)();
  const char* table;
  int axis;
};

class CutTables : public ::testing::TestWithParam<CutTable> {};

TEST_P(CutTables, KeepTheirRowsAndAreProvedAtSeveralSizes) {
  const CutTable& row = GetParam();
  const ModelFolder folder;
  folder.Write("net.onnx", row.model().Bytes());
  const Outcome inspect = folder.Run({"inspect", "net.onnx", "-o", "s.json"});
  EXPECT_EQ(inspect.exit_code, 0) << inspect.err;
  const json spec = json::parse(std::ifstream(folder / "s.json"));
  const std::string axis = spec["tensors"][row.table][row.axis];
  EXPECT_EQ(axis.find_first_not_of("0123456789"), std::string::npos) << axis;

  const Outcome verify = folder.Run({"verify", "net.onnx", "--json"});
  EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
  EXPECT_GE(verify.json()["input_shapes"].size(), 2u);
}

TEST_P(CutTables, ASpecThatMovesTheirRowsIsRefuted) {
  const CutTable& row = GetParam();
  const ModelFolder folder;
  folder.Write("net.onnx", row.model().Bytes());
  EXPECT_EQ(folder.Run({"inspect", "net.onnx", "-o", "s.json"}).exit_code, 0);
  json spec = json::parse(std::ifstream(folder / "s.json"));
  // All rows but the first five.
  const int64_t rows =
      std::stoll(std::string(spec["tensors"][row.table][row.axis]));
  spec["groups"]["rows"] = rows - 5;
  spec["tensors"][row.table][row.axis] = "5+rows";
  WriteSpec(folder, spec);
  const Outcome run = folder.Run(
      {"verify", "net.onnx", "--model", "net.onnx", "--spec", "wrong.json"});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("NOT"));
}

INSTANTIATE_TEST_SUITE_P(
    X17, CutTables,
    ::testing::Values(CutTable{"Positions", CutPositions, "positions", 0},
                      CutTable{"Patches", CutPatches, "positions", 1},
                      CutTable{"Queries", CutQueries, "queries", 0}),
    [](const auto& row) { return std::string(row.param.name); });

// A graph with hidden units behind a mask of the given type and name.
std::string MaskedGraph(const std::string& mask,
                        const std::string& activation) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 3}, {"batch"});
  builder.Weight("w1", {3, 4}, std::vector<float>(12, 0.5f));
  builder.Weight("w2", {4, 2}, std::vector<float>(8, 0.5f));
  builder.Weight(mask, {4}, {1, 1, 1, 1});
  builder.Node("MatMul", {"x", "w1"}, {"h"});
  builder.Node("Mul", {"h", mask}, {"m"});
  builder.Node(activation, {"m"}, {"a"});
  builder.Node("MatMul", {"a", "w2"}, {"y"});
  builder.Output("y");
  return builder.Bytes();
}

void WriteFile(const ModelFolder& folder, const std::string& name,
               const std::string& bytes) {
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

Checkpoint MaskedModel(uint64_t seed, const std::string& mask,
                       const std::vector<float>& values) {
  Random random(seed);
  std::vector<float> w1(12), w2(8);
  for (float& x : w1) x = static_cast<float>(random.Normal());
  for (float& x : w2) x = static_cast<float>(random.Normal());
  return Checkpoint({MakeTensor("w1", {3, 4}, w1), MakeTensor("w2", {4, 2}, w2),
                     MakeTensor(mask, {4}, values)});
}

TEST(ConstantsOfFiles, ThatDifferAreDifferentFunctions) {
  const ModelFolder folder;
  WriteFile(folder, "net.onnx", MaskedGraph("attn_mask", "Relu"));
  folder.Save("a.safetensors", MaskedModel(1, "attn_mask", {1, 1, 1, 1}));
  folder.Save("b.safetensors", MaskedModel(2, "attn_mask", {1, 0, 1, 0}));
  const std::vector<std::string> merge = {
      "merge", "a.safetensors", "b.safetensors", "--model", "net.onnx",
      "-o",    "m.safetensors"};
  const Outcome refused = folder.Run(merge);
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_TRUE(refused.says("attn_mask")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
  folder.Save("b.safetensors", MaskedModel(2, "attn_mask", {1, 1, 1, 1}));
  EXPECT_EQ(folder.Run(merge).exit_code, 0);
}

TEST(OwnGraphs, AreNotOverriddenByAnotherOne) {
  const ModelFolder folder;
  WriteFile(folder, "relu.onnx", MaskedGraph("gain", "Relu"));
  WriteFile(folder, "tanh.onnx", MaskedGraph("gain", "Tanh"));
  const Outcome refused =
      folder.Run({"verify", "tanh.onnx", "--model", "relu.onnx"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_TRUE(refused.says("graph of its own")) << refused.err;
  EXPECT_EQ(
      folder.Run({"verify", "tanh.onnx", "--model", "tanh.onnx"}).exit_code, 0);
}

}  // namespace
}  // namespace rebasin
