// What wrappers put in front of all names, in files of every format.

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/zoo_models.h"

namespace rebasin {
namespace {

using testing::Outcome;
using testing::RandomZooModel;
using testing::RunIn;

Checkpoint Wrapped(const Checkpoint& model, const std::string& prefix) {
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) tensor.name = prefix + tensor.name;
  return Checkpoint(std::move(tensors));
}

void SaveAs(const std::string& ending, const Checkpoint& model,
            const std::filesystem::path& path) {
  if (ending == ".pt") return SaveTorch(model, path);
  if (ending == ".npz") return SaveNpz(model, path);
  SaveCheckpoint(model, path);
}

struct Row {
  std::string prefix, ending, model;
  bool recognised = true;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.prefix << row.ending;
}

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const char* prefix :
       {"module.", "model.", "_orig_mod.", "_orig_mod.module.", "model.model.",
        "module.model."}) {
    for (const char* ending : {".safetensors", ".pt", ".npz"}) {
      rows.push_back({prefix, ending, "resnet20:width=1"});
    }
  }
  // One that has such names itself. Its heads are not to be found out.
  for (const char* prefix : {"", "model.", "module."}) {
    rows.push_back({prefix, ".safetensors",
                    "llama:depth=1,width=128,heads=1,mlp=64,vocab=8,tie=true",
                    false});
  }
  return rows;
}

class Prefixes : public ::testing::TestWithParam<Row> {};

TEST_P(Prefixes, AreRecognised) {
  const Row& row = GetParam();
  const TempDir folder;
  for (const std::string name : {"a", "b"}) {
    SaveAs(row.ending, Wrapped(RandomZooModel(row.model, name[0]), row.prefix),
           folder / (name + row.ending));
  }
  for (const std::string& model : {row.model, std::string("auto")}) {
    if (model == "auto" && !row.recognised) continue;
    const Outcome run =
        RunIn(folder, {"match", "a" + row.ending, "b" + row.ending, "--model",
                       model, "-o", "x.json", "--force"});
    EXPECT_EQ(run.exit_code, 0) << model << run.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Prefixes, ::testing::ValuesIn(Rows()));

// One of them saved through DataParallel, the other not.
TEST(Prefix, OfOneModelAloneDoesNotMatter) {
  const TempDir folder;
  const std::string model = "mlp:in=6,width=5,depth=2,out=3";
  SaveCheckpoint(Wrapped(RandomZooModel(model, 1), "module."),
                 folder / "a.safetensors");
  SaveNpz(RandomZooModel(model, 2), folder / "b.npz");
  const Outcome run = RunIn(folder, {"merge", "a.safetensors", "b.npz",
                                     "--model", "auto", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("\"module.\", which is removed")) << run.err;
}

TEST(Prefix, StaysInFilesThatAreOnlyRead) {
  const TempDir folder;
  const Checkpoint model =
      Wrapped(RandomZooModel("mlp:in=6,width=5,depth=2,out=3"), "module.");
  // What was written is compared with what was meant, names included.
  EXPECT_NO_THROW(SaveTorch(model, folder / "a.pt"));
  EXPECT_EQ(Checkpoint::Open(folder / "a.pt", {.keep_prefixes = true})
                .tensors()[0]
                .name,
            model.tensors()[0].name);
}

}  // namespace
}  // namespace rebasin
