#include "data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bad_input.h"
#include "support/data_files.h"
#include "support/expect_error.h"
#include "support/expect_row.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

class Idx : public ::testing::TestWithParam<InputRow> {};

TEST_P(Idx, IsReadOrRefusedAsStated) {
  ExpectAsStated(GetParam(), [](const std::string& file) {
    const IdxArray array =
        ReadIdx(AsBytes(file), IdxContent::kImages, "the file");
    EXPECT_EQ(array.shape, (Shape{2, 2, 3}));
    EXPECT_THAT(array.values,
                ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  });
}

INSTANTIATE_TEST_SUITE_P(Rows, Idx, ::testing::ValuesIn(IdxRows()),
                         [](const auto& row) { return row.param.name; });

TEST(ReadIdx, ReadsLabels) {
  for (const std::string& file :
       {IdxLabels({3, 1, 4}), Gzip(IdxLabels({3, 1, 4}))}) {
    const IdxArray array =
        ReadIdx(AsBytes(file), IdxContent::kLabels, "labels");
    EXPECT_EQ(array.shape, Shape{3});
    EXPECT_THAT(array.values, ElementsAre(3, 1, 4));
  }
}

TEST(ReadIdx, D01_SaysThatLabelsWereExpected) {
  const std::string file = IdxImages(1, 2, 2);
  ExpectError(ErrorCode::kBadInput,
              {"images (0x00000803)", "expected labels (0x00000801)"},
              [&] { ReadIdx(AsBytes(file), IdxContent::kLabels, "labels"); });
}

}  // namespace
}  // namespace rebasin
