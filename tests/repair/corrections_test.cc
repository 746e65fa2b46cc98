#include <gtest/gtest.h>

#include <limits>

#include "rebasin/repair.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using Floats = std::vector<float>;

// Two channels of three weights, or their transpose.
Checkpoint Layer(DType dtype = DType::kF32) {
  return Checkpoint({MakeTensor("w", {2, 3}, Floats{1, 2, 3, 4, 5, 6}, dtype),
                     MakeTensor("b", {2}, Floats{1, -1}, dtype),
                     MakeTensor("other", {1}, Floats{7}, dtype)},
                    {{"made", "by hand"}});
}

RepairSite Site() {
  RepairSite site;
  site.channels = 2;
  site.scaled = {{"w", 0}, {"b", 0}};
  site.shifted = {"b", 0};
  return site;
}

Checkpoint Apply(const Checkpoint& model, const Correction& correction) {
  return ApplyCorrections(model, std::span(&correction, 1));
}

Floats Values(const Checkpoint& model, const std::string& name) {
  const Tensor& tensor = *model.Find(name);
  Floats values(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return values;
}

TEST(Corrections, ScaleWeightsAndShiftTheBias) {
  const Checkpoint changed = Apply(Layer(), {Site(), {2, 10}, {0.5, 0}});
  EXPECT_EQ(Values(changed, "w"), (Floats{2, 4, 6, 40, 50, 60}));
  EXPECT_EQ(Values(changed, "b"), (Floats{2.5, -10}));
}

TEST(Corrections, ScaleAlongTheAxisThatIsNamed) {
  RepairSite site = Site();
  site.channels = 3;
  site.scaled = {{"w", 1}};
  site.shifted = {};
  const Checkpoint changed = Apply(Layer(), {site, {1, 2, 3}, {}});
  EXPECT_EQ(Values(changed, "w"), (Floats{1, 4, 9, 4, 10, 18}));
}

TEST(Corrections, FollowEachOther) {
  const std::vector<Correction> both = {{Site(), {2, 1}, {1, 0}},
                                        {Site(), {3, 1}, {0, 0}}};
  // 3 (2 b + 1)
  EXPECT_EQ(Values(ApplyCorrections(Layer(), both), "b"), (Floats{9, -1}));
}

TEST(Corrections, KeepElementTypesAndEverythingElse) {
  for (DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Checkpoint model = Layer(dtype);
    const Checkpoint changed = Apply(model, {Site(), {2, 2}, {}});
    EXPECT_EQ(changed.Find("w")->dtype, dtype);
    EXPECT_EQ(Values(changed, "b"), (Floats{2, -2}));
    EXPECT_EQ(changed.Find("other")->bytes.data(),
              model.Find("other")->bytes.data());
    EXPECT_EQ(changed.metadata(), model.metadata());
  }
}

TEST(Corrections, OfNothingChangeNothing) {
  const Checkpoint model = Layer();
  EXPECT_EQ(Values(Apply(model, {Site(), {}, {}}), "b"), (Floats{1, -1}));
  EXPECT_EQ(Values(ApplyCorrections(model, {}), "b"), (Floats{1, -1}));
}

TEST(Corrections, RejectListsOfTheWrongLength) {
  ExpectError(ErrorCode::kUsage, {"\"w\"", "3 scales for 2 channels"}, [] {
    Apply(Layer(), {Site(), {1, 2, 3}, {}});
  });
  ExpectError(ErrorCode::kUsage, {"1 shifts for 2 channels"}, [] {
    Apply(Layer(), {Site(), {}, {1}});
  });
}

TEST(Corrections, RejectNumbersThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ExpectError(ErrorCode::kUsage, {"not finite"}, [&] {
    Apply(Layer(), {Site(), {1, nan}, {}});
  });
}

TEST(Corrections, RejectShiftsWithoutABias) {
  RepairSite site = Site();
  site.shifted = {};
  ExpectError(ErrorCode::kUnsupported, {"no bias"}, [&] {
    Apply(Layer(), {site, {1, 1}, {0, 1}});
  });
  EXPECT_NO_THROW(Apply(Layer(), {site, {1, 1}, {0, 0}}));
}

TEST(Corrections, RejectModelsThatDoNotFit) {
  RepairSite site = Site();
  site.scaled = {{"missing", 0}};
  ExpectError(ErrorCode::kMismatch, {"\"missing\""}, [&] {
    Apply(Layer(), {site, {1, 1}, {}});
  });
  site.scaled = {{"w", 1}};
  ExpectError(ErrorCode::kMismatch, {"[2, 3]", "2 channels on axis 1"}, [&] {
    Apply(Layer(), {site, {1, 1}, {}});
  });
  site.scaled = {{"w", 2}};
  ExpectError(ErrorCode::kMismatch, {"axis 2"}, [&] {
    Apply(Layer(), {site, {1, 1}, {}});
  });
  site.scaled = {};
  ExpectError(ErrorCode::kUsage, {"without weights"}, [&] {
    Apply(Layer(), {site, {1, 1}, {}});
  });
}

TEST(Corrections, RejectWhatOverflows) {
  ExpectError(ErrorCode::kBadInput, {"element 1", "too large for F16"}, [] {
    Apply(Layer(DType::kF16), {Site(), {1, 1e6}, {}});
  });
}

}  // namespace
}  // namespace rebasin
