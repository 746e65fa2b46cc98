#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "rebasin/nn/data.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Example i has the value i and a random label.
Dataset Numbered(int64_t size, int64_t classes, uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<float>(i));
    labels.push_back(
        static_cast<int32_t>(random.Below(static_cast<uint64_t>(classes))));
  }
  return {"numbered", {1}, std::move(values), std::move(labels), classes};
}

std::vector<float> Values(const Dataset& data) {
  std::vector<float> values(static_cast<size_t>(data.size()));
  ReadBatch(data, {}, 0, data.size(), values, nullptr);
  return values;
}

std::map<int32_t, int64_t> Histogram(const Dataset& data) {
  std::map<int32_t, int64_t> counts;
  for (int64_t i = 0; i < data.size(); ++i) ++counts[data.label(i)];
  return counts;
}

void ExpectPartition(const Dataset& a, const Dataset& b, int64_t size) {
  const auto a_values = Values(a);
  const auto b_values = Values(b);
  EXPECT_TRUE(std::is_sorted(a_values.begin(), a_values.end()));
  std::set<float> all(a_values.begin(), a_values.end());
  all.insert(b_values.begin(), b_values.end());
  EXPECT_EQ(static_cast<int64_t>(all.size()), size);
  EXPECT_EQ(a.size() + b.size(), size);
}

TEST(SelectFirst, TakesNoMoreThanThereIs) {
  const Dataset data = Numbered(4, 2, 1);
  EXPECT_THAT(Values(SelectFirst(data, 3)), ElementsAre(0, 1, 2));
  EXPECT_THAT(Values(SelectFirst(data, 9)), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(SelectFirst(data, 0).empty());
}

TEST(SelectRandom, IsChosenBySeed) {
  const Dataset data = Numbered(100, 3, 1);
  EXPECT_EQ(Values(SelectRandom(data, 20, 4)),
            Values(SelectRandom(data, 20, 4)));
  EXPECT_NE(Values(SelectRandom(data, 20, 4)),
            Values(SelectRandom(data, 20, 5)));
}

TEST(SelectRandom, TakesNoExampleTwiceAndNoMoreThanThereAre) {
  const Dataset data = Numbered(50, 3, 1);
  for (const int64_t count : {0, 30, 50, 90}) {
    const auto values = Values(SelectRandom(data, count, 2));
    EXPECT_EQ(static_cast<int64_t>(values.size()),
              std::min<int64_t>(count, 50));
    EXPECT_EQ(std::set<float>(values.begin(), values.end()).size(),
              values.size());
  }
}

// Files may be sorted by class; the first examples would be of one class.
TEST(SelectRandom, HasEachClassInProportionAndInEveryBeginning) {
  std::vector<float> values(1000);
  std::vector<int32_t> labels(1000, 2);
  std::fill(labels.begin(), labels.begin() + 100, 0);
  std::fill(labels.begin() + 100, labels.begin() + 400, 1);
  const Dataset data("sorted", {1}, std::move(values), std::move(labels), 3);
  for (const int64_t count : {20, 100, 500}) {
    EXPECT_THAT(Histogram(SelectFirst(SelectRandom(data, 500, 4), count)),
                ElementsAre(Pair(0, count / 10), Pair(1, 3 * count / 10),
                            Pair(2, 6 * count / 10)));
  }
}

TEST(SelectRandom, OfFewerExamplesIsTheBeginningOfMore) {
  const Dataset data = Numbered(200, 5, 3);
  EXPECT_EQ(Values(SelectRandom(data, 40, 6)),
            Values(SelectFirst(SelectRandom(data, 150, 6), 40)));
}

TEST(SelectRandom, DrawsWithoutLabelsToo) {
  std::vector<float> numbers(100);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i);
  const Dataset data("unlabelled", {1}, std::move(numbers), {}, 0);
  const auto drawn = Values(SelectRandom(data, 10, 1));
  EXPECT_EQ(drawn.size(), 10u);
  EXPECT_FALSE(std::is_sorted(drawn.begin(), drawn.end()));
}

TEST(SelectClasses, KeepsTheirExamplesAndLabels) {
  const Dataset data("d", {1}, std::vector<float>{0, 1, 2, 3, 4},
                     {2, 0, 1, 2, 0}, 3);
  const Dataset part = SelectClasses(data, std::vector<int64_t>{2, 1});
  EXPECT_THAT(Values(part), ElementsAre(0, 2, 3));
  EXPECT_EQ(part.classes(), 3);
  EXPECT_EQ(part.label(2), 2);
}

TEST(SelectClasses, RefusesClassesThatAreNotThere) {
  const Dataset data("d", {1}, std::vector<float>{0, 1}, {2, 0}, 3);
  for (const int64_t label : {-1, 1, 3}) {
    ExpectError(ErrorCode::kUsage, {"class " + std::to_string(label)},
                [&] { SelectClasses(data, std::vector{label}); });
  }
}

TEST(Select, RefusesWhatHasNoLabels) {
  const Dataset data("d", {1}, std::vector<float>{0, 1}, {}, 0);
  ExpectError(ErrorCode::kUsage, {"no labels"},
              [&] { SelectClasses(data, std::vector<int64_t>{0}); });
  ExpectError(ErrorCode::kUsage, {"no labels"},
              [&] { SelectBiased(data, 0.2, 0.8, 1); });
}

TEST(SelectFraction, TakesItsShareOfEachClass) {
  const Dataset data = Numbered(1000, 7, 1);
  const auto all = Histogram(data);
  for (const double fraction : {0.001, 0.1, 0.5, 1.0}) {
    for (const auto& [label, count] :
         Histogram(SelectFraction(data, fraction, 3))) {
      const double expected = fraction * static_cast<double>(all.at(label));
      EXPECT_NEAR(static_cast<double>(count), std::max(expected, 1.0), 0.51);
    }
    EXPECT_EQ(Histogram(SelectFraction(data, fraction, 3)).size(), 7);
  }
  EXPECT_EQ(Values(SelectFraction(data, 1, 3)), Values(data));
}

TEST(SelectFraction, DependsOnTheSeedAlone) {
  const Dataset data = Numbered(1000, 7, 1);
  const auto once = Values(SelectFraction(data, 0.3, 5));
  EXPECT_EQ(once, Values(SelectFraction(data, 0.3, 5)));
  EXPECT_NE(once, Values(SelectFraction(data, 0.3, 6)));
}

TEST(SelectFraction, WorksWithoutLabels) {
  const Dataset data("d", {1}, std::vector<float>(10), {}, 0);
  EXPECT_EQ(SelectFraction(data, 0.3, 1).size(), 3);
}

TEST(SelectFraction, RefusesImpossibleShares) {
  const Dataset data = Numbered(10, 2, 1);
  for (const double share : {0.0, -1.0, 1.01, std::nan("")}) {
    ExpectError(ErrorCode::kUsage, {"share"},
                [&] { SelectFraction(data, share, 1); });
  }
}

TEST(SelectBiased, SharesAreThoseOfTheHalves) {
  const Dataset data = Numbered(2000, 10, 2);
  const auto all = Histogram(data);
  for (const auto& [label, count] :
       Histogram(SelectBiased(data, 0.2, 0.8, 1))) {
    const double share = label < 5 ? 0.2 : 0.8;
    EXPECT_NEAR(static_cast<double>(count),
                share * static_cast<double>(all.at(label)), 0.51);
  }
}

TEST(SelectBiased, ComplementsAreDisjointAndTogetherEverything) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const int64_t size = 101 + static_cast<int64_t>(seed);
    const Dataset data = Numbered(size, 2 + static_cast<int64_t>(seed % 5), 7);
    for (const auto& [p, q] :
         std::vector<std::pair<double, double>>{{0.2, 0.8},
                                                {0.8, 0.2},
                                                {0.1, 0.3},
                                                {0.5, 0.3},
                                                {0.7, 0.5},
                                                {0, 1},
                                                {0, 0},
                                                {1.0 / 3, 0.25}}) {
      ExpectPartition(SelectBiased(data, p, q, seed),
                      SelectBiased(data, 1 - p, 1 - q, seed), size);
    }
    // As written by hand, where 1 - 0.8 is not 0.2.
    ExpectPartition(SelectBiased(data, 0.2, 0.8, seed),
                    SelectBiased(data, 0.8, 0.2, seed), size);
    ExpectPartition(SelectBiased(data, 0.1, 0.9, seed),
                    SelectBiased(data, 0.9, 0.1, seed), size);
  }
}

}  // namespace
}  // namespace rebasin
