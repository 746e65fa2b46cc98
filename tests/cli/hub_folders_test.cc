// Folders of models as hubs keep them: read, refused, and written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/zoo_models.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::RandomZooModel;
using testing::RunIn;

// What the architecture "llama" of the zoo is called on a hub.
constexpr char kZooText[] =
    "llama:depth=1,width=32,heads=4,kv_heads=2,mlp=48,vocab=40";
constexpr char kConfig[] = R"({
  "model_type": "llama", "architectures": ["LlamaForCausalLM"],
  "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4,
  "num_key_value_heads": 2, "intermediate_size": 48, "vocab_size": 40,
  "rms_norm_eps": 1e-5, "tie_word_embeddings": false, "unknown": [1, {}]})";

// The config with one part of its text replaced.
std::string ConfigWith(const std::string& from, const std::string& to) {
  std::string text = kConfig;
  return text.replace(text.find(from), from.size(), to);
}

class HubFolders : public ::testing::Test {
 protected:
  HubFolders() {
    MakeFolder("a", RandomZooModel(kZooText, 1));
    MakeFolder("b", RandomZooModel(kZooText, 2));
  }

  void MakeFolder(const std::string& name, const Checkpoint& model) const {
    fs::create_directory(root_ / name);
    root_.Write(name + "/config.json", kConfig);
    root_.Write(name + "/tokenizer.json", "{\"of\": \"" + name + "\"}");
    SaveCheckpoint(model, root_ / (name + "/model.safetensors"),
                   {.force = true, .sync = false});
  }
  Outcome Run(const std::vector<std::string>& args) const {
    return RunIn(root_, args);
  }
  Outcome Merge(const std::string& output,
                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = {"merge", "a", "b", "-o", output};
    args.insert(args.end(), more.begin(), more.end());
    return Run(args);
  }
  std::vector<std::string> FilesIn(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(root_ / folder)) {
      names.push_back(file.path().filename().native());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const TempDir root_;
};

TEST_F(HubFolders, AreMergedIntoAFolder) {
  const Outcome run = Merge("merged");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("recognised as llama (config.json)"));
  EXPECT_THAT(FilesIn("merged"),
              ElementsAre("README.md", "config.json", "model.safetensors",
                          "tokenizer.json"));
  EXPECT_EQ(ReadAll(root_ / "merged/config.json"), kConfig);
  EXPECT_EQ(ReadAll(root_ / "merged/tokenizer.json"), "{\"of\": \"a\"}");
  EXPECT_THAT(root_.Files(), ElementsAre("a", "b", "merged"));
}

TEST_F(HubFolders, HoldWhatAFileWouldHold) {
  ASSERT_EQ(Merge("merged").exit_code, 0);
  ASSERT_EQ(Merge("merged.safetensors").exit_code, 0);
  EXPECT_TRUE(SameContent(Checkpoint::Open(root_ / "merged"),
                          Checkpoint::Open(root_ / "merged.safetensors")));
}

TEST_F(HubFolders, SayHowTheyWereMade) {
  ASSERT_EQ(Merge("merged", {"--lambda", "0.25"}).exit_code, 0);
  const std::string card = ReadAll(root_ / "merged/README.md");
  EXPECT_TRUE(card.starts_with("---\nbase_model:\n- \"a\"\n- \"b\"\n")) << card;
  EXPECT_THAT(card, HasSubstr("tags:\n- merge\n"));
  EXPECT_THAT(card, HasSubstr("rebasin merge a b -o merged --lambda 0.25"));
  EXPECT_THAT(card, HasSubstr("| a | 12 | "));
  EXPECT_THAT(card, HasSubstr("verified"));
}

TEST_F(HubFolders, AreSplitIntoShards) {
  ASSERT_EQ(Merge("merged", {"--shard-size", "20kB"}).exit_code, 0);
  const std::vector<std::string> files = FilesIn("merged");
  EXPECT_THAT(files, ::testing::Contains("model.safetensors.index.json"));
  EXPECT_THAT(files, ::testing::Contains("model-00001-of-00003.safetensors"));
  EXPECT_EQ(Run({"verify", "merged"}).exit_code, 0);
}

TEST_F(HubFolders, ArePermutedIntoAFolder) {
  ASSERT_EQ(Run({"match", "a", "b", "-o", "b.json"}).exit_code, 0);
  const Outcome run = Run({"apply", "b", "--align", "b.json", "-o", "moved/"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(FilesIn("moved"),
              ElementsAre("README.md", "config.json", "model.safetensors",
                          "tokenizer.json"));
  EXPECT_EQ(Run({"diff", "b", "moved"}).exit_code, 0);
}

TEST_F(HubFolders, ReplaceFoldersOfModelsOnly) {
  fs::create_directory(root_ / "merged");
  ASSERT_EQ(Merge("merged").exit_code, 0) << "an empty folder is free";
  EXPECT_EQ(Merge("merged").exit_code, 2);
  EXPECT_EQ(Merge("merged", {"--force", "--lambda", "0.1"}).exit_code, 0);
  EXPECT_THAT(ReadAll(root_ / "merged/README.md"), HasSubstr("--lambda 0.1"));
  fs::create_directories(root_ / "other/within");
  const Outcome refused = Merge("other", {"--force"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is not replaced"));
  EXPECT_TRUE(fs::exists(root_ / "other/within"));
  EXPECT_EQ(Merge("a", {"--force"}).exit_code, 2) << "an input";
  EXPECT_THAT(root_.Files(), ElementsAre("a", "b", "merged", "other"));
}

TEST_F(HubFolders, AreNotThereAfterAFailure) {
  Checkpoint broken = RandomZooModel(kZooText, 2);
  broken =
      testing::With(broken, MakeTensor("model.norm.weight", {32},
                                       std::vector<float>(32, std::nanf(""))));
  MakeFolder("b", broken);
  EXPECT_EQ(Merge("merged").exit_code, 3);
  EXPECT_THAT(root_.Files(), ElementsAre("a", "b"));
}

TEST_F(HubFolders, MayHoldPyTorchShards) {
  const Checkpoint model = Checkpoint::Open(root_ / "a");
  fs::create_directory(root_ / "bin");
  root_.Write("bin/config.json", kConfig);
  std::string map;
  std::vector<Tensor> parts[2];
  for (const Tensor& tensor : model.tensors()) {
    const int part = tensor.name < "model.l" ? 0 : 1;
    parts[part].push_back(tensor);
    map += (map.empty() ? "\"" : ",\"") + tensor.name + "\": \"pytorch_model-" +
           std::to_string(part) + ".bin\"";
  }
  for (const int part : {0, 1}) {
    SaveTorch(Checkpoint(parts[part]),
              root_ / ("bin/pytorch_model-" + std::to_string(part) + ".bin"),
              {.sync = false});
  }
  root_.Write("bin/pytorch_model.bin.index.json",
              R"({"weight_map": {)" + map + "}}");
  root_.Write("bin/training_args.bin", "no model");
  EXPECT_TRUE(SameContent(Checkpoint::Open(root_ / "bin"), model));
  EXPECT_EQ(Run({"verify", "bin"}).exit_code, 0);
}

TEST_F(HubFolders, OfDifferentVocabulariesAreRefusedWithTheSizes) {
  MakeFolder("b", RandomZooModel(std::string(kZooText) + "1", 2));
  root_.Write("b/config.json",
              ConfigWith("\"vocab_size\": 40", "\"vocab_size\": 401"));
  const Outcome run = Merge("merged");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("[40, 32]"));
  EXPECT_THAT(run.err, HasSubstr("[401, 32]"));
}

TEST_F(HubFolders, WhoseConfigsDisagreeAreRefused) {
  root_.Write("b/config.json", ConfigWith("1e-5", "1e-6"));
  const Outcome run = Merge("merged");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("describe different models"));
}

struct Lie {
  std::string from, to;
  int exit_code;
  std::vector<std::string> says;
};

TEST_F(HubFolders, ConfigsThatLieAreRefusedInOneLine) {
  const std::vector<Lie> rows = {
      {"_heads\": 4", "_heads\": 5", 3, {"cannot be divided by"}},
      {"_heads\": 4", "_heads\": 0", 3, {"\"num_attention_heads\" must be"}},
      {"_heads\": 4",
       "_heads\": 4, \"n_head\": 2",
       3,
       {"\"n_head\" is 2, and another name of it is 4"}},
      {"_heads\": 4", "_heads\": \"4\"", 3, {"must be a whole number"}},
      {"_heads\": 4", "_heads\": 1e300", 3, {"must be a whole number"}},
      {"_heads\": 4", "_heads\": 2", 4, {"k_proj", "[16, 32]", "[32, 32]"}},
      {"\"num_key_value_heads\": 2",
       "\"num_key_value_heads\": 3",
       3,
       {"cannot be divided by 3"}},
      {"\"vocab_size\": 40", "\"vocab_size\": 41", 4, {"[40, 32]", "[41, 32]"}},
      {"\"hidden_size\": 32", "\"hidden_size\": 100000000", 3, {"heads have"}},
      {"\"hidden_size\": 32,", "", 3, {"\"hidden_size\" is missing"}},
      {"_layers\": 1", "_layers\": 2", 4, {"2 layers", "model.layers.1."}},
      {"_layers\": 1", "_layers\": 100000000", 3, {"layers are more than"}},
      {"\"intermediate_size\": 48",
       "\"intermediate_size\": 40000000",
       4,
       {"[48, 32]", "40000000"}},
      {"\"model_type\": \"llama\"",
       "\"model_type\": \"gpt_neox\"",
       4,
       {"\"model_type\" \"gpt_neox\"", "gpt_neox.embed_in.weight"}},
      {"\"rms_norm_eps\": 1e-5",
       "\"rope_scaling\": {\"type\": \"spiral\"}",
       3,
       {"\"spiral\" is unknown"}},
      {"\"tie_word_embeddings\": false",
       "\"tie_word_embeddings\": true",
       4,
       {"tied", "differ"}},
      {"\"unknown\": [1, {}]",
       "\"hidden_act\": \"mystery\"",
       3,
       {"activation \"mystery\""}}};
  for (const Lie& row : rows) {
    root_.Write("a/config.json", ConfigWith(row.from, row.to));
    const Outcome run = Run({"verify", "a"});
    EXPECT_EQ(run.exit_code, row.exit_code) << row.to << run.err;
    for (const std::string& part : row.says) {
      EXPECT_THAT(run.err, HasSubstr(part)) << row.to;
    }
    EXPECT_LT(run.seconds, 5) << row.to;
    EXPECT_LT(run.peak_bytes, 500'000'000) << row.to;
  }
}

TEST_F(HubFolders, OfUnknownKindsAreRecognisedByTheirTensors) {
  root_.Write("a/config.json",
              R"({"model_type": "new-llama", "num_attention_heads": 4})");
  const Outcome named = Run({"verify", "a"});
  EXPECT_EQ(named.exit_code, 4) << "it is not said to be a llama";
  MakeFolder("c", RandomZooModel("mlp:depth=1,width=8,in=6,out=3"));
  root_.Write("c/config.json", R"({"model_type": "mine"})");
  EXPECT_EQ(Run({"verify", "c"}).exit_code, 0);
  const std::vector<float> numbers = {1, 2};
  MakeFolder("d", Checkpoint({MakeTensor("x", {2}, numbers)}));
  root_.Write("d/config.json", R"({"model_type": "mine"})");
  const Outcome run = Run({"verify", "d"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("\"model_type\" \"mine\""));
  EXPECT_THAT(run.err, HasSubstr(".onnx"));
}

TEST_F(HubFolders, ThatAreNotCompleteAreRefused) {
  ASSERT_EQ(Merge("m", {"--shard-size", "20kB"}).exit_code, 0);
  const std::string first = "m/model-00001-of-00003.safetensors";
  const std::string index = "m/model.safetensors.index.json";
  const std::string kept = ReadAll(root_ / first), map = ReadAll(root_ / index);
  const auto refused = [&](int exit_code, const std::string& says) {
    const Outcome run = Run({"verify", "m"});
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(says));
  };
  root_.Write(first,
              "version https://git-lfs.github.com/spec/v1\n"
              "oid sha256:" +
                  std::string(64, 'a') + "\nsize 123\n");
  refused(3, "LFS");
  root_.Write(first, kept.substr(0, kept.size() / 2));
  refused(3, "model-00001-of-00003.safetensors");
  fs::copy_file(root_ / "a/model.safetensors", root_ / first,
                fs::copy_options::overwrite_existing);
  refused(3, "shard");
  fs::remove(root_ / first);
  refused(5, "1 of 3 shards are missing");
  root_.Write(first, kept);
  std::string outside = map;
  outside.replace(outside.find("model-00001"), 0, "../");
  root_.Write(index, outside);
  refused(3, "plain file name");
  fs::remove(root_ / index);
  refused(2, "index");
}

}  // namespace
}  // namespace rebasin
