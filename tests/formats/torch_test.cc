// Files of torch.save, opened as checkpoints.

#include "formats/torch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rebasin/checkpoint.h"
#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

using namespace pickled;

Checkpoint Opened(const std::string& content, const OpenOptions& options = {},
                  const Run& run = {}) {
  const TempDir folder;
  return Checkpoint::Open(folder.Write("model.pt", content), options, run);
}

std::vector<float> Values(const Checkpoint& model, const std::string& name) {
  const Tensor* tensor = model.Find(name);
  if (tensor == nullptr) return {};
  std::vector<float> values(static_cast<size_t>(tensor->size()));
  ReadFloats(*tensor, 0, values);
  return values;
}

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};

std::string Viewing(const View& view) {
  return TorchArchive(Program(OrderedDict({{Text("w"), TensorOf(view)}})),
                      {{"0", SixFloats()}});
}

class TorchFile : public ::testing::TestWithParam<InputRow> {};

TEST_P(TorchFile, IsReadOrRefusedAsStated) {
  const InputRow& row = GetParam();
  if (!row.error) {
    EXPECT_NO_THROW(Opened(row.make()));
    return;
  }
  ExpectError(*row.error, row.says, [&] { Opened(row.make()); });
}

INSTANTIATE_TEST_SUITE_P(Rows, TorchFile, ::testing::ValuesIn(TorchRows()),
                         [](const auto& row) { return row.param.name; });

TEST(Torch, BothFormsHoldTheSame) {
  for (const std::string& file : {SoundTorchArchive(), SoundLegacyTorch()}) {
    const Checkpoint model = Opened(file);
    ASSERT_EQ(model.tensors().size(), 1u);
    EXPECT_EQ(model.tensors()[0].dtype, DType::kF32);
    EXPECT_EQ(model.tensors()[0].shape, (Shape{2, 3}));
    EXPECT_EQ(Values(model, "w"), kSix);
  }
}

TEST(Torch, StridesAreFollowed) {
  const Checkpoint transposed =
      Opened(Viewing({.shape = {3, 2}, .strides = {1, 3}}));
  EXPECT_EQ(Values(transposed, "w"), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  const Checkpoint column =
      Opened(Viewing({.shape = {2}, .strides = {3}, .offset = 1}));
  EXPECT_EQ(Values(column, "w"), (std::vector<float>{1, 4}));
  const Checkpoint repeated =
      Opened(Viewing({.shape = {2, 3}, .strides = {0, 1}}));
  EXPECT_EQ(Values(repeated, "w"), (std::vector<float>{0, 1, 2, 0, 1, 2}));
}

TEST(Torch, ScalarsAndEmptyTensorsAreThere) {
  EXPECT_EQ(
      Values(Opened(Viewing({.shape = {}, .strides = {}, .offset = 5})), "w"),
      std::vector<float>{5});
  const Checkpoint empty =
      Opened(Viewing({.shape = {0, 3}, .strides = {3, 1}}));
  EXPECT_EQ(empty.Find("w")->size(), 0);
}

TEST(Torch, TiedTensorsShareTheirBytes) {
  const Checkpoint model = Opened(TorchArchive(
      Program(OrderedDict({{Text("a"), TensorOf()}, {Text("b"), TensorOf()}})),
      {{"0", SixFloats()}}));
  EXPECT_EQ(model.Find("a")->bytes.data(), model.Find("b")->bytes.data());
}

TEST(Torch, BytesAreTurnedRound) {
  std::string big = SixFloats();
  for (size_t at = 0; at < big.size(); at += 4) {
    std::reverse(big.begin() + static_cast<ptrdiff_t>(at),
                 big.begin() + static_cast<ptrdiff_t>(at + 4));
  }
  const Checkpoint model = Opened(TorchArchive(
      Program(OrderedDict({{Text("w"), TensorOf()}})), {{"0", big}},
      {{.name = "model/byteorder", .content = "big"}}));
  EXPECT_EQ(Values(model, "w"), kSix);
}

TEST(Torch, KeysLeadToTheDictionary) {
  const std::string file = TorchArchive(
      Program(Dict({{Text("epoch"), Int(3)},
                    {Text("net"),
                     Dict({{Text("ema"), Dict({{Text("w"), TensorOf()}})}})}})),
      {{"0", SixFloats()}});
  EXPECT_EQ(Values(Opened(file, {.key = "net.ema"}), "w"), kSix);
  ExpectError(ErrorCode::kMismatch, {"under the key \"nett\"", "net.ema"},
              [&] { Opened(file, {.key = "nett"}); });
  ExpectError(ErrorCode::kBadInput, {"--key: net.ema"},
              [&] { Opened(file, {.key = "net", .find_key = false}); });
}

TEST(Torch, TheOnlyDictionaryOfTensorsIsTaken) {
  const std::string file = TorchArchive(
      Program(Dict({{Text("epoch"), Int(3)},
                    {Text("net"),
                     Dict({{Text("ema"), Dict({{Text("w"), TensorOf()}})}})}})),
      {{"0", SixFloats()}});
  for (const char* key : {"", "net"}) {
    std::vector<std::string> warnings;
    const auto warn = [&](const std::string& line) {
      warnings.push_back(line);
    };
    EXPECT_EQ(Values(Opened(file, {.key = key}, {.warn = warn}), "w"), kSix);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("taken from \"net.ema\""), std::string::npos)
        << warnings[0];
  }
}

TEST(Torch, NoDictionaryIsTakenWhereTensorsAreElsewhere) {
  const auto dict = Dict({{Text("w"), TensorOf()}});
  const auto opened = [](const std::string& program) {
    Opened(TorchArchive(Program(program), {{"0", SixFloats()}}));
  };
  ExpectError(ErrorCode::kBadInput, {"--key: a, b"}, [&] {
    opened(Dict({{Text("a"), dict}, {Text("b"), dict}}));
  });
  ExpectError(ErrorCode::kBadInput, {"--key: a"}, [&] {
    opened(Dict({{Text("a"), dict}, {Text("b"), Tuple({TensorOf()})}}));
  });
}

TEST(Torch, ThePrefixOfDataParallelIsRemoved) {
  const auto names = [](const std::string& first, const std::string& second) {
    const Checkpoint model =
        Opened(TorchArchive(Program(OrderedDict({{Text(first), TensorOf()},
                                                 {Text(second), TensorOf()}})),
                            {{"0", SixFloats()}}));
    return model.tensors()[0].name + " " + model.tensors()[1].name;
  };
  EXPECT_EQ(names("module.a", "module.b"), "a b");
  EXPECT_EQ(names("module.a", "b"), "b module.a");
  EXPECT_EQ(names("module.a", "module."), "module. module.a");
}

TEST(Torch, TellsWhatItLeavesOut) {
  std::vector<std::string> warnings;
  Opened(TorchArchive(Program(OrderedDict(
                          {{Text("w"), TensorOf()}, {Text("epoch"), Int(1)}})),
                      {{"0", SixFloats()}}),
         {},
         {.warn = [&](const std::string& text) { warnings.push_back(text); }});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("left out: \"epoch\""), std::string::npos)
      << warnings[0];
}

std::string Names(const Checkpoint& model) {
  std::string names;
  for (const Tensor& tensor : model.tensors()) names += tensor.name + " ";
  return names;
}

TEST(Torch, ContainersBecomeDottedNames) {
  const std::string file = TorchArchive(
      Program(Dict(
          {{Text("w"), TensorOf()},
           {Text("optimizer"),
            Dict({{Text("state"),
                   Dict({{Int(0), Dict({{Text("exp_avg"), TensorOf()}})}})},
                  {Text("groups"), Tuple({Int(1)})}})},
           {Text("shadow"), Tuple({TensorOf(), Tuple({TensorOf()})})}})),
      {{"0", SixFloats()}});
  EXPECT_EQ(Names(Opened(file)),
            "optimizer.state.0.exp_avg shadow.0 shadow.1.0 w ");
  EXPECT_EQ(Names(Opened(file, {.key = "optimizer"})), "state.0.exp_avg ");
}

TEST(Torch, UnsupportedTensorsAreLeftOutByName) {
  const std::string quantised =
      Call(Global("torch._utils", "_rebuild_qtensor"),
           Tuple({StorageId({.key = "1", .type = "QInt32Storage"}), Int(0)}));
  const std::string pickle = Program(OrderedDict(
      {{Text("w"), TensorOf()}, {Text("q"), Tuple({quantised, TensorOf()})}}));
  const std::vector<Stored> storages = {{"1", SixFloats()}, {"0", SixFloats()}};
  for (const std::string& file :
       {TorchArchive(pickle, storages), LegacyTorch(pickle, storages)}) {
    std::string warning;
    const Checkpoint model =
        Opened(file, {.skip_unsupported = true},
               {.warn = [&](const std::string& text) { warning += text; }});
    EXPECT_EQ(Names(model), "q.1 w ");
    EXPECT_EQ(Values(model, "q.1"), kSix);
    EXPECT_NE(warning.find("left out: \"q.0\""), std::string::npos) << warning;
  }
}

TEST(Torch, NothingIsNotLeftOver) {
  const std::string file = TorchArchive(
      Program(OrderedDict(
          {{Text("w"),
            Call(Global("torch._utils", "_rebuild_sparse_tensor"), ")")}})),
      {});
  ExpectError(ErrorCode::kMismatch, {"all of its tensors", "\"w\""},
              [&] { Opened(file, {.skip_unsupported = true}); });
}

TEST(Torch, LayersThatAreSharedAreRead) {
  std::vector<Item> items;
  for (int i = 0; i < 24; ++i) {
    items.push_back({Text(std::to_string(i)), TensorOf()});
  }
  EXPECT_EQ(
      Opened(TorchArchive(Program(OrderedDict(items)), {{"0", SixFloats()}}))
          .tensors()
          .size(),
      24u);
}

// 500 names of one storage of 64 KiB.
TEST(Torch, X13_ManyViewsOfLittleAreRefused) {
  std::vector<Item> items;
  const View view{.elements = 16384, .shape = {16384}, .strides = {1}};
  for (int i = 0; i < 500; ++i) {
    items.push_back({Text(std::to_string(i)), TensorOf(view)});
  }
  const std::string file = TorchArchive(Program(OrderedDict(items)),
                                        {{"0", std::string(65536, '\0')}});
  ExpectError(ErrorCode::kLimit, {"32768000 bytes", "65536", "32 times"},
              [&] { Opened(file); });
}

// Entries of a dictionary that all have the same key and value, which were kept
// as numbers 1 and 2.
std::string SameEntries(int count) {
  std::string opcodes = "}(";
  for (int i = 0; i < count; ++i) opcodes += "h\1h\2";
  return opcodes + "u";
}

// Each dictionary of 200,000 entries is in the other 200,000 times: what looks
// at every way to every entry does not come to an end.
TEST(Torch, SharedDictionariesAreLookedAtOnce) {
  constexpr int kCount = 200'000;
  const std::string key = Text("a") + "q\1", inner = SameEntries(kCount);
  const std::string file =
      TorchArchive(Program(key + "0N" + "q\2" + "0" + inner + "q\2" + "0" +
                           SameEntries(kCount)),
                   {});
  ExpectError(ErrorCode::kMismatch, {"holds no tensors"},
              [&] { Opened(file); });
  ExpectError(ErrorCode::kMismatch, {"nothing under the key"},
              [&] { Opened(file, {.key = "a.b"}); });
}

TEST(Torch, LongKeysOfStoragesAreRefused) {
  const std::string key(5000, 'k');
  const std::string file =
      LegacyTorch(Program(OrderedDict({{Text("w"), TensorOf({.key = key})}})),
                  {{key, SixFloats()}});
  ExpectError(ErrorCode::kLimit, {"key of a storage"}, [&] { Opened(file); });
}

// A thousand transposed views of one storage.
TEST(Torch, ManyCopiesOfLittleAreRefused) {
  std::vector<Item> items;
  const View view{.elements = 10000, .shape = {100, 100}, .strides = {1, 100}};
  for (int i = 0; i < 1000; ++i) {
    items.push_back({Text(std::to_string(i)), TensorOf(view)});
  }
  const std::string file = TorchArchive(Program(OrderedDict(items)),
                                        {{"0", std::string(40000, '\0')}});
  ExpectError(ErrorCode::kLimit, {"4 times the file"}, [&] { Opened(file); });
}

}  // namespace
}  // namespace rebasin
