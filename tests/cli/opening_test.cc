// What a model is, when it is opened: nothing that its symmetries depend on is
// guessed, what is said of it must agree, and all of its tensors belong to it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cli/program.h"
#include "discovery/discovered.h"
#include "onnx/onnx.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "rebasin/zoo.h"
#include "support/onnx_models.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::RandomWeights;
using testing::RunIn;
using testing::With;

Checkpoint Named(const Checkpoint& model, const std::string& text) {
  return Checkpoint(model.tensors(), {{kModelKey, text}});
}

Tensor Renamed(Tensor tensor, const std::string& name) {
  tensor.name = name;
  return tensor;
}

bool HoldSame(const Checkpoint& model, const std::string& x,
              const std::string& y) {
  return std::ranges::equal(model.Find(x)->bytes, model.Find(y)->bytes);
}

class Folder : public TempDir {
 public:
  Outcome Run(const std::vector<std::string>& args) const {
    return RunIn(*this, args);
  }
  void Save(const std::string& name, const Checkpoint& model) const {
    SaveCheckpoint(model, *this / name, {.force = true, .sync = false});
  }
  void SaveTorch(const std::string& name, const Checkpoint& model) const {
    rebasin::SaveTorch(model, *this / name, {.force = true, .sync = false});
  }
  Checkpoint Load(const std::string& name) const {
    return Checkpoint::Open(*this / name);
  }
};

Outcome MatchIn(const Folder& folder, const std::string& model,
                const std::string& a = "a.safetensors",
                const std::string& b = "b.safetensors") {
  return folder.Run(
      {"match", a, b, "--model", model, "-o", "x.json", "--force"});
}

void ExpectRefused(const Outcome& run, const std::vector<std::string>& says) {
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  for (const std::string& part : says) EXPECT_THAT(run.err, HasSubstr(part));
}

struct Heads {
  std::string name, options, config;
};

void PrintTo(const Heads& row, std::ostream* out) { *out << row.name; }

// Models of 128 units and eight heads, where sizes of 64 would be usual: two
// random ones, whose best alignment moves heads and what is in them.
class HeadsTest : public ::testing::TestWithParam<Heads> {
 protected:
  HeadsTest() : graph_(ZooGraph(Text(8))) {
    for (const char* name : {"a", "b"}) {
      models_.push_back(RandomWeights(graph_, models_.size()));
      folder_.Save(name + std::string(".safetensors"), models_.back());
    }
  }

  std::string Text(int heads) const {
    return GetParam().name + ":heads=" + std::to_string(heads) + "," +
           GetParam().options;
  }
  void WriteConfig() const { folder_.Write("config.json", GetParam().config); }
  // With the true number of heads, B permuted is still B.
  void ExpectSameFunction() const {
    const Alignment found =
        Alignment::Load(folder_ / "x.json", Fingerprint(models_[1]));
    EXPECT_FALSE(found.IsIdentity());
    EXPECT_TRUE(Verify(graph_, models_[1], found).same);
  }

  const Graph graph_;
  Folder folder_;
  std::vector<Checkpoint> models_;
};

TEST_P(HeadsTest, AreNotGuessed) {
  for (const std::string& model : {std::string("auto"), GetParam().name}) {
    ExpectRefused(MatchIn(folder_, model),
                  {"do not show heads", GetParam().name + ":heads=8",
                   GetParam().name + ":heads=2", "config.json"});
  }
  ExpectRefused(folder_.Run({"verify", "a.safetensors", "--model", "auto"}),
                {"heads"});
}

TEST_P(HeadsTest, AreReadFromConfigJson) {
  WriteConfig();
  for (const std::string& model : {std::string("auto"), GetParam().name}) {
    const Outcome run = MatchIn(folder_, model);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("recognised as " + GetParam().name));
    EXPECT_THAT(run.out, HasSubstr("heads=8"));
    EXPECT_THAT(run.out, HasSubstr("(config.json)"));
    ExpectSameFunction();
  }
}

TEST_P(HeadsTest, MayBeSaid) {
  EXPECT_EQ(MatchIn(folder_, GetParam().name + ":heads=8").exit_code, 0);
  ExpectSameFunction();
  // Two is what was guessed once: another function.
  EXPECT_EQ(MatchIn(folder_, GetParam().name + ":heads=2").exit_code, 0);
  const Alignment wrong =
      Alignment::Load(folder_ / "x.json", Fingerprint(models_[1]));
  EXPECT_FALSE(Verify(graph_, models_[1], wrong).same);
}

TEST_P(HeadsTest, AreReadFromMetadata) {
  folder_.Save("a.safetensors", Named(models_[0], Text(8)));
  folder_.Save("b.safetensors", Named(models_[1], Text(8)));
  const Outcome run = MatchIn(folder_, "auto");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("(metadata)"));
  ExpectSameFunction();
  // One of them is enough, whichever it is.
  folder_.Save("c.safetensors", models_[1]);
  EXPECT_EQ(
      MatchIn(folder_, "auto", "a.safetensors", "c.safetensors").exit_code, 0);
  ExpectSameFunction();
  EXPECT_EQ(
      MatchIn(folder_, "auto", "c.safetensors", "a.safetensors").exit_code, 0);
}

// X08.
TEST_P(HeadsTest, MustAgreeWhereverTheyAreSaid) {
  folder_.Save("a.safetensors", Named(models_[0], Text(8)));
  folder_.Save("b.safetensors", Named(models_[1], Text(4)));
  ExpectRefused(MatchIn(folder_, "auto"), {"heads=8", "heads=4"});
  ExpectRefused(MatchIn(folder_, "auto", "b.safetensors", "a.safetensors"),
                {"heads=8", "heads=4"});
  ExpectRefused(folder_.Run({"merge", "a.safetensors", "b.safetensors", "-o",
                             "m.safetensors"}),
                {"heads=8", "heads=4"});
  ExpectRefused(folder_.Run({"verify", "a.safetensors", "--model",
                             GetParam().name + ":heads=2"}),
                {"heads=2", "heads=8", "metadata"});
  WriteConfig();
  ExpectRefused(folder_.Run({"verify", "b.safetensors", "--model", "auto"}),
                {"heads=4", "heads=8", "config.json"});
  ExpectRefused(MatchIn(folder_, "resnet20"), {"resnet20", GetParam().name});
}

TEST_P(HeadsTest, AreReadInAFolder) {
  const std::string folder = "model";
  std::filesystem::create_directory(folder_ / folder);
  folder_.Write("model/config.json", GetParam().config);
  folder_.Save("model/model.safetensors", models_[0]);
  const Outcome one = folder_.Run({"verify", folder, "--model", "auto"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("config.json"));
  std::filesystem::remove(folder_ / "model/model.safetensors");
  SaveCheckpoint(models_[0], folder_ / "model/model.safetensors",
                 {.shard_bytes = 20000, .sync = false});
  for (const std::string& path :
       {folder, folder + "/model.safetensors.index.json"}) {
    const Outcome sharded = folder_.Run({"verify", path, "--model", "auto"});
    EXPECT_EQ(sharded.exit_code, 0) << sharded.err;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, HeadsTest,
    ::testing::Values(
        Heads{"llama", "depth=1,width=128,kv_heads=4,mlp=48,vocab=40",
              R"({"hidden_size": 128, "extra": [1, {}],
                  "num_hidden_layers": 1, "num_attention_heads": 8,
                  "num_key_value_heads": 4, "head_dim": null,
                  "rope_theta": 500000.0})"},
        Heads{"gpt2", "depth=1,width=128,vocab=40,context=16",
              R"({"n_embd": 128, "n_head": 8,
                  "n_layer": 1, "vocab_size": 40, "n_inner": null})"},
        Heads{"vit", "depth=1,width=128,mlp=48,patch=8,image=16,classes=5",
              R"({"hidden_size": 128, "num_attention_heads": 8})"}),
    [](const auto& row) { return row.param.name; });

struct BadConfig {
  std::string text;
  int exit_code;
  std::string says;
};

TEST(Config, IsStrictAboutWhatItNeeds) {
  const Folder folder;
  folder.Save("a.safetensors",
              RandomWeights(ZooGraph("gpt2:depth=1,width=16,heads=4,vocab=9,"
                                     "context=16"),
                            1));
  const std::vector<BadConfig> rows = {
      {"{", 3, "config.json"},
      {"[1]", 3, "no JSON object"},
      {R"({"n_head": "4"})", 3, "\"n_head\" must be a whole number"},
      {R"({"n_head": 0})", 3, "\"n_head\""},
      {R"({"n_head": 2.5})", 3, "\"n_head\""},
      {R"({"n_head": -4})", 3, "\"n_head\""},
      {R"({"n_head": 1e300})", 3, "\"n_head\""},
      {R"({"n_head": 3})", 4, "heads=3"},
      {R"({"n_head": 4, "num_attention_heads": 2})", 4, "heads=2"},
      {R"({"n_head": 4, "n_embd": 32})", 4, "width=32"},
      {R"({"n_head": 4, "model_type": "bloom"})", 4, "\"bloom\""},
      {R"({})", 4, "do not show heads"},
      {R"({"n_head": 4, "model_type": 7, "n_inner": "x"})", 0, ""}};
  for (const BadConfig& row : rows) {
    folder.Write("config.json", row.text);
    const Outcome run =
        folder.Run({"verify", "a.safetensors", "--model", "auto"});
    EXPECT_EQ(run.exit_code, row.exit_code) << row.text << run.err;
    EXPECT_THAT(run.err, HasSubstr(row.says)) << row.text;
  }
  folder.Write("config.json", std::string(5'000'000, ' '));
  EXPECT_EQ(
      folder.Run({"verify", "a.safetensors", "--model", "auto"}).exit_code, 6);
}

TEST(Config, OfAnotherKindOfModelIsNotRead) {
  const testing::ModelFolder folder;
  folder.Write("config.json", "{");
  EXPECT_EQ(
      folder.Run({"verify", "a.safetensors", "--model", "auto"}).exit_code, 0);
}

// Norms without running statistics all look alike.
class NormsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(NormsTest, AreNotGuessed) {
  const std::string text = GetParam();
  const std::string name = text.substr(0, text.find(':'));
  const std::string norm = text.substr(text.find("norm="));
  const Folder folder;
  folder.Save("a.safetensors", RandomWeights(ZooGraph(text), 1));
  const auto verify = [&](const std::string& model) {
    return folder.Run(
        {"verify", "a.safetensors", "--model", model, "--trials", "1"});
  };
  ExpectRefused(verify("auto"),
                {"do not show norm", name + ":norm=layer",
                 name + ":norm=instance", name + ":norm=group,groups=2"});
  ExpectRefused(verify(name), {"norm"});
  ExpectRefused(verify(name + ":norm=group"), {"groups=2"});
  ExpectRefused(verify(name + ":norm=group,groups=7"), {"groups=7"});
  const Outcome run = verify(name + ":" + norm);
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, NormsTest,
    ::testing::Values("resnet20:norm=group,groups=4",
                      "vgg11:head=cifar,classes=10,divide=16,norm=instance",
                      "convmixer:depth=1,width=16,norm=layer"),
    [](const auto& row) { return row.param.substr(0, row.param.find(':')); });

TEST(Activations, MustBeSaidWhereScalesDependOnThem) {
  const Folder folder;
  for (const std::string name : {"mlp", "resnet20", "vgg11"}) {
    const std::string text =
        name + (name == "mlp"     ? ":depth=1,width=8,in=6"
                : name == "vgg11" ? ":head=cifar,classes=10,divide=16"
                                  : "");
    const Checkpoint model = RandomWeights(ZooGraph(text), 1);
    folder.Save("a.safetensors", model);
    const auto inspect = [&](const std::string& as) {
      return folder.Run({"inspect", "a.safetensors", "--model", as,
                         "--symmetries", "permute+scale"});
    };
    ExpectRefused(inspect("auto"), {"activations", "--model " + name});
    EXPECT_EQ(inspect(name).exit_code, 0);
    folder.Save("a.safetensors", Named(model, text));
    EXPECT_EQ(inspect("auto").exit_code, 0);
  }
}

struct Extra {
  std::string name, text, tensor;
  Shape shape;
};

void PrintTo(const Extra& row, std::ostream* out) { *out << row.name; }

class ExtraTensorTest : public ::testing::TestWithParam<Extra> {
 protected:
  ExtraTensorTest() {
    const Graph graph = ZooGraph(GetParam().text);
    for (const std::string name : {"a", "b"}) {
      const Checkpoint model = RandomWeights(graph, name == "a" ? 1 : 2);
      folder_.Save("plain-" + name + ".safetensors", model);
      const size_t size = static_cast<size_t>(GetParam().shape[0]);
      const auto bytes = std::make_shared<std::vector<float>>(size, 0.5F);
      (*bytes)[0] = name == "a" ? 1 : 2;
      folder_.Save(name + ".safetensors",
                   With(model, {.name = GetParam().tensor,
                                .dtype = DType::kF32,
                                .shape = GetParam().shape,
                                .bytes = std::as_bytes(std::span(*bytes)),
                                .owner = bytes}));
    }
  }
  Outcome Run(std::vector<std::string> args,
              const std::string& allow = "") const {
    args.insert(args.end(), {"--model", GetParam().text});
    if (!allow.empty()) args.push_back(allow);
    return folder_.Run(args);
  }

  Folder folder_;
};

// X06.
TEST_P(ExtraTensorTest, IsRefusedUnlessItIsAllowed) {
  const std::vector<std::vector<std::string>> commands = {
      {"inspect", "a.safetensors"},
      {"verify", "a.safetensors", "--trials", "1"},
      {"match", "a.safetensors", "b.safetensors"},
      {"diff", "a.safetensors", "b.safetensors"},
      {"merge", "a.safetensors", "b.safetensors", "-o", "m.safetensors"}};
  for (const auto& command : commands) {
    ExpectRefused(Run(command), {GetParam().tensor, "1 tensor"});
    ExpectRefused(Run(command, "--allow-uncovered=other*"),
                  {GetParam().tensor});
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
  const std::string part = GetParam().tensor.substr(0, 3) + "*";
  for (const std::string& allow :
       {std::string("--allow-uncovered"), "--allow-uncovered=" + part}) {
    const Outcome run = Run(commands[1], allow);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(run.says("left unpermuted")) << run.err;
  }
}

TEST_P(ExtraTensorTest, IsRefusedByApply) {
  ASSERT_EQ(MatchIn(folder_, GetParam().text, "plain-a.safetensors",
                    "plain-b.safetensors")
                .exit_code,
            0);
  // The same names and shapes, as far as the alignment knows.
  ASSERT_EQ(folder_
                .Run({"match", "a.safetensors", "b.safetensors", "--model",
                      GetParam().text, "--allow-uncovered", "-o", "y.json"})
                .exit_code,
            0);
  const std::vector<std::string> apply = {
      "apply", "b.safetensors", "--align", "y.json", "-o", "c.safetensors"};
  ExpectRefused(folder_.Run(apply), {GetParam().tensor});
  std::vector<std::string> allowed = apply;
  allowed.push_back("--allow-uncovered");
  EXPECT_EQ(folder_.Run(allowed).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, ExtraTensorTest,
    ::testing::Values(
        Extra{"mlp", "mlp:depth=2,width=16,in=8,out=4", "norm1.weight", {16}},
        Extra{"resnet20", "resnet20", "layer1.0.gain", {16}},
        Extra{"llama",
              "llama:depth=1,width=16,heads=2,mlp=24,vocab=20",
              "model.layers.0.self_attn.q_proj.bias",
              {16}}),
    [](const auto& row) { return row.param.name; });

struct Tie {
  std::string name, text, original, copy;
};

void PrintTo(const Tie& row, std::ostream* out) { *out << row.name; }

constexpr char kGpt2[] =
    "gpt2:names=lm,depth=1,width=16,heads=2,vocab=20,context=16";
constexpr char kLlama[] =
    "llama:depth=1,width=16,heads=2,mlp=24,vocab=20,tie=true";
constexpr char kMlp[] = "residual_mlp:depth=2,width=16,hidden=8,in=6,out=4";

// Models in which one tensor has two names, as some files store it.
// A graph of its own file, and weights that come with buffers.
class GraphBesideTest : public ::testing::Test {
 protected:
  void SaveWith(const std::string& buffer) {
    folder_.Write("net.onnx", SmallMlp().Bytes());
    const Graph graph = ReadOnnx(folder_ / "net.onnx").graph;
    const std::vector<float> numbers = {3, 5, 4};
    for (const std::string name : {"a", "b"}) {
      folder_.Save(name + ".safetensors",
                   With(RandomWeights(graph, name == "a" ? 1 : 2),
                        MakeTensor(buffer, {3}, numbers)));
    }
  }
  Outcome Apply(const std::vector<std::string>& more) const {
    std::vector<std::string> args = {
        "apply", "b.safetensors", "--align", "x.json", "-o", "c.safetensors"};
    args.insert(args.end(), more.begin(), more.end());
    return folder_.Run(args);
  }

  Folder folder_;
};

TEST_F(GraphBesideTest, SaysWhichTensorsAreTables) {
  SaveWith("rotary.inv_freq");
  ASSERT_EQ(MatchIn(folder_, "net.onnx").exit_code, 0);
  ExpectRefused(Apply({}), {"rotary.inv_freq"});
  const Outcome run = Apply({"--model", "net.onnx"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verified"));
  EXPECT_EQ(Apply({"--model", "net.onnx", "--no-verify", "--force"}).exit_code,
            0);
}

TEST_F(GraphBesideTest, DoesNotExcuseOtherTensors) {
  SaveWith("norm1.weight");
  ASSERT_EQ(folder_
                .Run({"match", "a.safetensors", "b.safetensors", "--model",
                      "net.onnx", "--allow-uncovered", "-o", "x.json"})
                .exit_code,
            0);
  ExpectRefused(Apply({"--model", "net.onnx"}), {"norm1.weight"});
}

// A graph has a tied weight once, a state dict under each of its names.
TEST_F(GraphBesideTest, OtherNamesOfItsWeightsMoveAlong) {
  folder_.Write("net.onnx", SmallMlp().Bytes());
  const Graph graph = ReadOnnx(folder_ / "net.onnx").graph;
  const std::string name = graph.values()[graph.weights()[0]].name;
  for (uint64_t seed : {1, 2}) {
    const Checkpoint model = RandomWeights(graph, seed);
    folder_.SaveTorch(seed == 1 ? "a.pt" : "b.pt",
                      With(model, Renamed(*model.Find(name), "tied.weight")));
  }
  const Outcome match = MatchIn(folder_, "net.onnx", "a.pt", "b.pt");
  EXPECT_EQ(match.exit_code, 0) << match.err;
  EXPECT_EQ(match.err, "");
  const Outcome apply = folder_.Run({"apply", "b.pt", "--align", "x.json", "-o",
                                     "c.pt", "--model", "net.onnx"});
  EXPECT_EQ(apply.exit_code, 0) << apply.err;
  EXPECT_THAT(apply.out, HasSubstr("verified"));
  const Checkpoint moved = folder_.Load("c.pt");
  EXPECT_FALSE(SameContent(moved, folder_.Load("b.pt")));
  EXPECT_EQ(moved.Find(name)->bytes.data(),
            moved.Find("tied.weight")->bytes.data());
}

// What came of both would keep or break the tie of one of them.
TEST_F(GraphBesideTest, OtherNamesOfOneModelAloneAreRefused) {
  folder_.Write("net.onnx", SmallMlp().Bytes());
  const Graph graph = ReadOnnx(folder_ / "net.onnx").graph;
  const Tensor tied =
      *RandomWeights(graph, 1).Find(graph.values()[graph.weights()[0]].name);
  const Checkpoint a = RandomWeights(graph, 2), b = RandomWeights(graph, 3);
  folder_.SaveTorch("a.pt", With(a, Renamed(*a.Find(tied.name), "tied")));
  folder_.SaveTorch("b.pt", With(b, Renamed(tied, "tied")));
  ExpectRefused(MatchIn(folder_, "net.onnx", "a.pt", "b.pt"), {"tied"});
  ExpectRefused(MatchIn(folder_, "net.onnx", "b.pt", "a.pt"), {"tied"});
}

class TiesTest : public ::testing::TestWithParam<Tie> {
 protected:
  Checkpoint Tied(uint64_t seed) const {
    const Checkpoint model = RandomWeights(ZooGraph(GetParam().text), seed);
    return With(model,
                Renamed(*model.Find(GetParam().original), GetParam().copy));
  }
  Checkpoint Untied(uint64_t seed) const {
    return With(Tied(seed), Renamed(*Tied(seed + 1).Find(GetParam().original),
                                    GetParam().copy));
  }
  Outcome Merge(const std::string& a, const std::string& b,
                const std::string& to) const {
    return folder_.Run(
        {"merge", a, b, "--model", GetParam().text, "-o", to, "--force"});
  }

  Folder folder_;
};

TEST_P(TiesTest, AreKept) {
  folder_.SaveTorch("a.pt", Tied(1));
  folder_.SaveTorch("b.pt", Tied(3));
  folder_.Save("a.safetensors", Tied(1));
  folder_.Save("b.safetensors", Tied(3));
  for (const std::string type : {".pt", ".safetensors"}) {
    const Outcome run = Merge("a" + type, "b" + type, "m" + type);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("verified"));
    EXPECT_TRUE(HoldSame(folder_.Load("m" + type), GetParam().original,
                         GetParam().copy));
  }
  const Checkpoint merged = folder_.Load("m.pt");
  EXPECT_EQ(merged.Find(GetParam().original)->bytes.data(),
            merged.Find(GetParam().copy)->bytes.data());
  EXPECT_TRUE(SameContent(merged, folder_.Load("m.safetensors")));
  ASSERT_EQ(MatchIn(folder_, GetParam().text, "a.pt", "b.pt").exit_code, 0);
  ASSERT_EQ(folder_.Run({"apply", "b.pt", "--align", "x.json", "-o", "c.pt"})
                .exit_code,
            0);
  const Checkpoint moved = folder_.Load("c.pt");
  EXPECT_FALSE(SameContent(moved, folder_.Load("b.pt")));
  EXPECT_EQ(moved.Find(GetParam().original)->bytes.data(),
            moved.Find(GetParam().copy)->bytes.data());
}

// X05.
TEST_P(TiesTest, OfOneModelAloneAreRefusedInEitherOrder) {
  folder_.SaveTorch("tied.pt", Tied(1));
  folder_.SaveTorch("untied.pt", Untied(3));
  for (const std::string& model : {GetParam().text, std::string("auto")}) {
    ExpectRefused(MatchIn(folder_, model, "tied.pt", "untied.pt"),
                  {GetParam().copy, "tied"});
    ExpectRefused(MatchIn(folder_, model, "untied.pt", "tied.pt"),
                  {GetParam().copy, "tied"});
  }
  ExpectRefused(Merge("tied.pt", "untied.pt", "m.pt"), {"tied"});
  ExpectRefused(Merge("untied.pt", "tied.pt", "m.pt"), {"tied"});
}

INSTANTIATE_TEST_SUITE_P(
    All, TiesTest,
    ::testing::Values(
        Tie{"gpt2", kGpt2, "transformer.wte.weight", "lm_head.weight"},
        Tie{"llama", kLlama, "model.embed_tokens.weight", "lm_head.weight"},
        Tie{"residual_mlp", kMlp, "blocks.0.fc2.bias", "blocks.1.fc2.bias"}),
    [](const auto& row) { return row.param.name; });

// Stored as two tensors of equal values, one of which is in no graph.
TEST(StoredTies, MoveAlong) {
  for (const std::string& text : {std::string(kGpt2), std::string(kLlama)}) {
    const std::string original =
        text[0] == 'g' ? "transformer.wte.weight" : "model.embed_tokens.weight";
    const Folder folder;
    for (const std::string name : {"a", "b"}) {
      const Checkpoint model =
          RandomWeights(ZooGraph(text), name == "a" ? 1 : 2);
      folder.Save(
          name + ".safetensors",
          With(model, Renamed(*model.Find(original), "lm_head.weight")));
    }
    const std::string model = text.substr(0, text.find(':')) + ":heads=2";
    const Outcome run = MatchIn(folder, model);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("tie=true"));
    EXPECT_EQ(folder
                  .Run({"apply", "b.safetensors", "--align", "x.json", "-o",
                        "c.safetensors"})
                  .exit_code,
              0);
    const Checkpoint moved = folder.Load("c.safetensors");
    EXPECT_TRUE(HoldSame(moved, original, "lm_head.weight"));
    const Checkpoint b = folder.Load("b.safetensors");
    EXPECT_FALSE(std::ranges::equal(moved.Find(original)->bytes,
                                    b.Find(original)->bytes));
  }
}

// In a file that cannot share storages, equal values are the tie.
TEST(StoredTies, OfOneModelAloneAreRefusedInEitherOrder) {
  const Folder folder;
  const Checkpoint own = RandomWeights(
      ZooGraph("llama:depth=1,width=16,heads=2,mlp=24,vocab=20"), 1);
  folder.Save("untied.safetensors", own);
  folder.Save("tied.safetensors",
              With(own, Renamed(*own.Find("model.embed_tokens.weight"),
                                "lm_head.weight")));
  const auto match = [&](const std::string& a, const std::string& b) {
    return MatchIn(folder, "llama:heads=2", a, b);
  };
  ExpectRefused(match("tied.safetensors", "untied.safetensors"),
                {"tie=true", "tie=false"});
  ExpectRefused(match("untied.safetensors", "tied.safetensors"),
                {"tie=true", "tie=false"});
}

TEST(UntiedHeads, ArePartOfTheGraph) {
  const Folder folder;
  const Graph graph = ZooGraph(std::string(kGpt2) + ",tie=false");
  folder.Save("a.safetensors", RandomWeights(graph, 1));
  folder.Save("b.safetensors", RandomWeights(graph, 2));
  const Outcome run = MatchIn(folder, "gpt2:heads=2");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("tie=false"));
  const Checkpoint b = folder.Load("b.safetensors");
  EXPECT_TRUE(
      Verify(graph, b, Alignment::Load(folder / "x.json", Fingerprint(b)))
          .same);
  ExpectRefused(MatchIn(folder, "gpt2:heads=2,tie=true"), {"lm_head.weight"});
}

TEST(Ties, ThatAnArchitectureWouldMoveApartAreRefused) {
  const Folder folder;
  const Checkpoint model =
      RandomWeights(ZooGraph("mlp:depth=3,width=8,in=6,out=4"), 1);
  folder.SaveTorch(
      "a.pt", With(model, Renamed(*model.Find("fc2.weight"), "fc3.weight")));
  const Outcome run = folder.Run({"verify", "a.pt", "--model", "auto"});
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_TRUE(run.says("tied")) << run.err;
}

}  // namespace
}  // namespace rebasin
