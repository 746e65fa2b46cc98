// PyTorch files whose tensors lie in containers, or are of a kind that no other
// format has: nothing is lost without a word.

#include <gtest/gtest.h>

#include <map>

#include "cli/program.h"
#include "cli/zoo_models.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

using namespace pickled;
using testing::Outcome;
using testing::RandomZooModel;
using testing::RunIn;

// A model as torch.save writes it, its tensors arranged by `pickle`.
class StateDict {
 public:
  explicit StateDict(const Checkpoint& model) : model_(model) {
    for (const Tensor& tensor : model.tensors()) {
      storages_.push_back({std::to_string(storages_.size()),
                           {reinterpret_cast<const char*>(tensor.bytes.data()),
                            tensor.bytes.size()}});
    }
  }

  std::string TensorAt(size_t index) const {
    const Tensor& tensor = model_.tensors()[index];
    Shape strides(tensor.shape.size(), 1);
    for (size_t i = strides.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * tensor.shape[i];
    }
    return TensorOf({.key = std::to_string(index),
                     .elements = tensor.size(),
                     .shape = tensor.shape,
                     .strides = strides});
  }

  // "a.b.c" as {"a": {"b": {"c": tensor}}}, beside a tensor "epoch".
  std::string Nested() const {
    std::vector<std::pair<std::string, size_t>> all;
    for (size_t i = 0; i < model_.tensors().size(); ++i) {
      all.emplace_back(model_.tensors()[i].name, i);
    }
    return TorchArchive(Program(DictOf(all)), storages_);
  }

  // As quantize_dynamic leaves a model: the weight of the first layer is a
  // quantised tensor in a tuple.
  std::string WithQuantisedLayer() const {
    const std::string quantised =
        Call(Global("torch._utils", "_rebuild_qtensor"),
             Tuple({StorageId({.key = "q", .type = "QInt8Storage"}), Int(0)}));
    std::vector<Item> items = {
        {Text("first._packed_params.dtype"), Global("torch", "qint8")},
        {Text("first._packed_params"), Tuple({quantised, TensorAt(0)})}};
    for (size_t i = 1; i < model_.tensors().size(); ++i) {
      items.push_back({Text(model_.tensors()[i].name), TensorAt(i)});
    }
    return TorchArchive(Program(OrderedDict(items)), storages_);
  }

 private:
  using Named = std::vector<std::pair<std::string, size_t>>;

  // Parts of names that are numbers become keys that are numbers.
  static std::string Key(const std::string& part, bool outermost) {
    const bool number =
        part.find_first_not_of("0123456789") == std::string::npos;
    return number && !outermost ? Int(std::stoll(part)) : Text(part);
  }

  std::string DictOf(const Named& names, bool outermost = true) const {
    std::map<std::string, Named> inner;
    std::vector<Item> items;
    for (const auto& [name, index] : names) {
      const size_t dot = name.find('.');
      if (dot == std::string::npos) {
        items.push_back({Text(name), TensorAt(index)});
      } else {
        inner[name.substr(0, dot)].emplace_back(name.substr(dot + 1), index);
      }
    }
    for (const auto& [part, rest] : inner) {
      items.push_back({Key(part, outermost), DictOf(rest, false)});
    }
    // Without a tensor of its own it would be asked which part is meant.
    if (outermost) {
      items.push_back({Text("last"), TensorAt(model_.tensors().size() - 1)});
      items.push_back({Text("lr"), Int(3)});
    }
    return Dict(items);
  }

  Checkpoint model_;
  std::vector<Stored> storages_;
};

class Architectures : public ::testing::TestWithParam<const char*> {};

TEST_P(Architectures, X09_NestedDictionariesBecomeTheNamesOfTheModel) {
  const Checkpoint model = RandomZooModel(GetParam());
  const TempDir folder;
  folder.Write("in.pt", StateDict(model).Nested());
  const Outcome run = RunIn(folder, {"convert", "in.pt", "out.safetensors"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("left out: \"lr\"")) << run.err;
  const Checkpoint read = Checkpoint::Open(folder / "out.safetensors");
  EXPECT_EQ(read.tensors().size(), model.tensors().size() + 1);
  for (const Tensor& tensor : model.tensors()) {
    const Tensor* found = read.Find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_TRUE(std::equal(found->bytes.begin(), found->bytes.end(),
                           tensor.bytes.begin(), tensor.bytes.end()));
  }
}

TEST_P(Architectures, X09_AQuantisedLayerIsNamed) {
  const TempDir folder;
  const Checkpoint model = RandomZooModel(GetParam());
  folder.Write("in.pt", StateDict(model).WithQuantisedLayer());
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"convert", "in.pt", "out.safetensors"},
        {"inspect", "in.pt"},
        {"merge", "in.pt", "in.pt", "--align", "none", "-o",
         "out.safetensors"}}) {
    const Outcome run = RunIn(folder, args);
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_TRUE(run.says("\"first._packed_params.0\"")) << run.err;
    EXPECT_TRUE(run.says("--skip-unsupported")) << run.err;
    EXPECT_EQ(folder.Files(), std::vector<std::string>{"in.pt"});
  }
  const Outcome run = RunIn(
      folder, {"convert", "in.pt", "out.safetensors", "--skip-unsupported"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("left out: \"first._packed_params.0\"")) << run.err;
  EXPECT_EQ(Checkpoint::Open(folder / "out.safetensors").tensors().size(),
            model.tensors().size());
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, Architectures,
    ::testing::Values("mlp:in=6,width=5,depth=2,out=3", "resnet20:width=1",
                      "gpt2:width=16,depth=2,heads=2,vocab=11,context=64",
                      "lstm:in=7,width=8,classes=3"),
    [](const auto& row) {
      return std::string(row.param).substr(0, std::string(row.param).find(':'));
    });

TEST(Containers, X09_NothingSupportedIsNoEmptyFile) {
  const TempDir folder;
  folder.Write(
      "in.pt",
      TorchArchive(
          Program(Dict(
              {{Text("w"),
                Call(Global("torch._utils", "_rebuild_sparse_tensor"), ")")}})),
          {}));
  const Outcome run = RunIn(
      folder, {"convert", "in.pt", "out.safetensors", "--skip-unsupported"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_TRUE(run.says("all of its tensors are unsupported: \"w\"")) << run.err;
  EXPECT_EQ(folder.Files(), std::vector<std::string>{"in.pt"});
}

TEST(Containers, X13_ManyViewsOfALittleAreRefused) {
  std::vector<Item> items;
  const View view{.elements = 16384, .shape = {16384}, .strides = {1}};
  for (int i = 0; i < 500; ++i) {
    items.push_back({Text(std::to_string(i)), TensorOf(view)});
  }
  const TempDir folder;
  folder.Write("in.pt", TorchArchive(Program(OrderedDict(items)),
                                     {{"0", std::string(65536, '\0')}}));
  const Outcome run = RunIn(folder, {"convert", "in.pt", "out.safetensors"});
  EXPECT_EQ(run.exit_code, 6) << run.err;
  EXPECT_TRUE(run.says("32 times")) << run.err;
  EXPECT_EQ(folder.Files(), std::vector<std::string>{"in.pt"});
}

}  // namespace
}  // namespace rebasin
