// Mutators make inputs that differ, and that readers mostly understand: noise
// is what libFuzzer makes by itself.

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "formats/pickle.h"
#include "formats/safetensors_header.h"
#include "formats/torch_objects.h"
#include "mutate_pickle.h"
#include "mutate_safetensors.h"
#include "rebasin/error.h"
#include "support/bad_input.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

constexpr int kTries = 1000;

using Mutate = std::string (*)(std::string_view, Random&);
using Read = std::function<void(std::span<const std::byte>)>;

struct Outcome {
  std::set<std::string> outputs;
  int accepted = 0;
};

// Each time the same input, as in a corpus of one.
Outcome Try(const std::string& input, Mutate mutate, const Read& read) {
  Random random(1);
  Outcome outcome;
  for (int i = 0; i < kTries; ++i) {
    const std::string output = mutate(input, random);
    outcome.outputs.insert(output);
    try {
      read(std::as_bytes(std::span(output)));
      ++outcome.accepted;
    } catch (const Error&) {
    }
  }
  return outcome;
}

std::string ThreeTensors() {
  return File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
              R"("b":{"dtype":"U8","shape":[2,2],"data_offsets":[8,12]},)"
              R"("c":{"dtype":"F16","shape":[],"data_offsets":[12,14]}})",
              "0123456789abcd");
}

TEST(MutateSafetensors, GivesManyFilesAndMostAreSound) {
  const Outcome outcome = Try(ThreeTensors(), MutateSafetensors, [](auto file) {
    ReadSafetensorsHeader(file, "mutated", {});
  });
  EXPECT_GT(outcome.outputs.size(), kTries / 5);
  EXPECT_GT(outcome.accepted, kTries / 3);
  EXPECT_LT(outcome.accepted, kTries);
}

TEST(MutateSafetensors, LeavesAloneWhatHasNoHeader) {
  Random random(1);
  EXPECT_EQ(MutateSafetensors("", random), "");
  EXPECT_EQ(MutateSafetensors("short", random), "");
  EXPECT_EQ(MutateSafetensors(File("[1, 2"), random), "");
}

TEST(MutatePickle, GivesManyPicklesAndManyAreSound) {
  using namespace pickled;
  const std::string input =
      Program(OrderedDict({{Text("w"), TensorOf()}, {Text("epoch"), Int(7)}}));
  const Outcome outcome = Try(input, MutatePickle, [](auto bytes) {
    size_t used = 0;
    ReadPickle(bytes, TorchGlobals(), "mutated", &used);
  });
  EXPECT_GT(outcome.outputs.size(), kTries / 2);
  EXPECT_GT(outcome.accepted, kTries / 5);
  EXPECT_LT(outcome.accepted, kTries);
}

TEST(MutatePickle, KeepsWhatFollows) {
  Random random(1);
  const std::string input = SoundLegacyTorch();
  for (int i = 0; i < kTries; ++i) {
    EXPECT_TRUE(MutatePickle(input, random).ends_with(SixFloats()));
  }
}

TEST(MutatePickle, LeavesAloneWhatIsNoPickle) {
  Random random(1);
  EXPECT_EQ(MutatePickle("", random), "");
  EXPECT_EQ(MutatePickle("\xff", random), "");
}

}  // namespace
}  // namespace rebasin
