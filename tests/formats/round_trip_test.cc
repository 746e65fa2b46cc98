#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

Tensor RawTensor(std::string name, DType dtype, Shape shape,
                 std::string_view bytes) {
  const auto copy = std::make_shared<std::string>(bytes);
  return {.name = std::move(name),
          .dtype = dtype,
          .shape = std::move(shape),
          .bytes = std::as_bytes(std::span(*copy)),
          .owner = copy};
}

Checkpoint SmallCheckpoint() {
  const std::vector<float> values = {1, -2, 3.5f, 0, -0.0f, 1e-30f};
  return Checkpoint(
      {MakeTensor("b.weight", {2, 3}, values),
       MakeTensor("a.half", {6}, values, DType::kF16),
       MakeTensor("c.double", {6, 1}, values, DType::kF64),
       MakeTensor("d.scalar", {}, std::vector<float>{7}, DType::kBF16),
       RawTensor("e.flags", DType::kBool, {3}, std::string_view("\1\0\7", 3)),
       RawTensor("f.count", DType::kI64, {1}, "12345678"),
       RawTensor("g.empty", DType::kF32, {2, 0}, ""),
       RawTensor("h.nibbles", DType::kF4, {4}, "xy")},
      {{"format", "pt"}, {"note", "quote \" and \n newline"}});
}

void ExpectSame(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.metadata(), b.metadata());
  ASSERT_EQ(a.tensors().size(), b.tensors().size());
  for (size_t i = 0; i < a.tensors().size(); ++i) {
    const Tensor &x = a.tensors()[i], &y = b.tensors()[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.dtype, y.dtype);
    EXPECT_EQ(x.shape, y.shape);
    EXPECT_TRUE(std::ranges::equal(x.bytes, y.bytes)) << x.name;
  }
}

TEST(RoundTrip, WrittenTensorsComeBackByteForByte) {
  const TempDir dir;
  SaveCheckpoint(SmallCheckpoint(), dir / "m.safetensors");
  ExpectSame(Checkpoint::Open(dir / "m.safetensors"), SmallCheckpoint());
  EXPECT_THAT(dir.Files(), ElementsAre("m.safetensors"));
}

TEST(RoundTrip, SavingWhatWasOpenedGivesTheSameFile) {
  const TempDir dir;
  SaveCheckpoint(SmallCheckpoint(), dir / "a.safetensors");
  SaveCheckpoint(Checkpoint::Open(dir / "a.safetensors"),
                 dir / "b.safetensors");
  EXPECT_EQ(ReadAll(dir / "a.safetensors"), ReadAll(dir / "b.safetensors"));
}

TEST(RoundTrip, DataIsAlignedForItsType) {
  const TempDir dir;
  SaveCheckpoint(SmallCheckpoint(), dir / "m.safetensors");
  const Checkpoint checkpoint = Checkpoint::Open(dir / "m.safetensors");
  for (const Tensor& tensor : checkpoint.tensors()) {
    const size_t item = std::max(DTypeBits(tensor.dtype) / 8, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.bytes.data()) % item, 0u)
        << tensor.name;
  }
  EXPECT_EQ(FloatsInPlace(*checkpoint.Find("b.weight"))[2], 3.5f);
}

TEST(RoundTrip, CheckpointWithoutTensorsIsAFile) {
  const TempDir dir;
  SaveCheckpoint(Checkpoint(), dir / "m.safetensors");
  EXPECT_TRUE(Checkpoint::Open(dir / "m.safetensors").tensors().empty());
}

TEST(RoundTrip, ShardedSetHoldsTheSameTensors) {
  const TempDir dir;
  const Checkpoint before = SmallCheckpoint();
  for (int64_t shard_bytes : {1, 24, 60}) {
    SaveCheckpoint(before, dir / "m.safetensors",
                   {.force = true, .shard_bytes = shard_bytes});
    const std::filesystem::path index = dir / "m.safetensors.index.json";
    std::vector<std::string> warnings;
    ExpectSame(Checkpoint::Open(index, {},
                                {.warn =
                                     [&](const std::string& line) {
                                       warnings.push_back(line);
                                     }}),
               before);
    EXPECT_THAT(warnings, ElementsAre());
    ExpectSame(Checkpoint::Open(dir.path()), before);
    for (const std::string& name : dir.Files()) {
      std::filesystem::remove(dir / name);
    }
  }
}

TEST(RoundTrip, ShardsAreNamedAfterTheOutput) {
  const TempDir dir;
  SaveCheckpoint(SmallCheckpoint(), dir / "m.safetensors", {.shard_bytes = 56});
  EXPECT_THAT(dir.Files(), ElementsAre("m-00001-of-00002.safetensors",
                                       "m-00002-of-00002.safetensors",
                                       "m.safetensors.index.json"));
}

TEST(RoundTrip, WhatFitsOneShardIsASingleFile) {
  const TempDir dir;
  SaveCheckpoint(SmallCheckpoint(), dir / "m.safetensors.index.json",
                 {.shard_bytes = 1 << 20});
  EXPECT_THAT(dir.Files(), ElementsAre("m.safetensors"));
}

TEST(RoundTrip, TensorsMayBeAppendedInPieces) {
  const TempDir dir;
  std::vector<std::byte> bytes(5 << 20);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 31 >> 3);
  const auto size = static_cast<int64_t>(bytes.size());
  CheckpointWriter writer(
      dir / "m.safetensors",
      {{"b", DType::kU8, {size - 7}}, {"a", DType::kU8, {7}}}, {});
  size_t at = 0;
  for (size_t step = 1; at < bytes.size(); step = step * 3 + 1) {
    const size_t count = std::min(step, bytes.size() - at);
    writer.Append(std::span(bytes).subspan(at, count));
    at += count;
  }
  writer.Commit();
  const Checkpoint read = Checkpoint::Open(dir / "m.safetensors");
  EXPECT_TRUE(
      std::ranges::equal(read.Find("a")->bytes, std::span(bytes).first(7)));
  EXPECT_TRUE(
      std::ranges::equal(read.Find("b")->bytes, std::span(bytes).subspan(7)));
}

TEST(Checkpoint, FindsTensorsByName) {
  const Checkpoint checkpoint = SmallCheckpoint();
  EXPECT_EQ(checkpoint.Find("a.half")->dtype, DType::kF16);
  EXPECT_EQ(checkpoint.Find("a.hal"), nullptr);
  EXPECT_EQ(checkpoint.Find("z"), nullptr);
  EXPECT_EQ(checkpoint.bytes(), 24 + 12 + 48 + 2 + 3 + 8 + 0 + 2);
}

TEST(Checkpoint, RefusesNamesThatAreEmptyOrTwice) {
  const Tensor tensor = MakeTensor("a", {1}, std::vector<float>{1});
  Tensor nameless = tensor;
  nameless.name = "";
  EXPECT_THROW(Checkpoint({tensor, tensor}), Error);
  EXPECT_THROW(Checkpoint({nameless}), Error);
}

TEST(Checkpoint, RefusesBytesThatDoNotFitTheShape) {
  EXPECT_THROW(Checkpoint({RawTensor("a", DType::kF32, {2}, "1234")}), Error);
}

}  // namespace
}  // namespace rebasin
