#include "base/text.h"

#include <gtest/gtest.h>

namespace rebasin {
namespace {

TEST(TextTest, NumbersHaveSignificantDigits) {
  EXPECT_EQ(Number(0.00123456), "0.001235");
  EXPECT_EQ(Number(1234567), "1.235e+06");
  EXPECT_EQ(Number(0.5), "0.5");
  EXPECT_EQ(Fixed(2, 3), "2.000");
  EXPECT_EQ(Percent(0.98765), "98.77 %");
}

TEST(TextTest, LongNumbersAreGrouped) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(-1234567), "-1,234,567");
}

TEST(TextTest, QuantitiesHaveUnits) {
  EXPECT_EQ(HumanBytes(999), "999 B");
  EXPECT_EQ(HumanBytes(1500), "1.5 kB");
  EXPECT_EQ(HumanSeconds(0.0123), "12 ms");
  EXPECT_EQ(HumanSeconds(12.34), "12.3 s");
  EXPECT_EQ(HumanSeconds(600), "10 min");
  EXPECT_EQ(Count(1, "tensor"), "1 tensor");
  EXPECT_EQ(Count(2000, "tensor"), "2,000 tensors");
}

TEST(TextTest, ColumnsAreAsWideAsTheirWidestCell) {
  Table table("lr", {"name", "n"});
  table.Add({"é", "10"});
  EXPECT_EQ(table.Text(), "name   n\né     10\n");
}

}  // namespace
}  // namespace rebasin
