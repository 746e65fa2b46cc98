#include "report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/picture_files.h"
#include "report/samples.h"
#include "support/comma_locale.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::rebasin::testing::Interpolation;
using ::rebasin::testing::IsPng;
using ::rebasin::testing::IsWellFormed;
using ::rebasin::testing::PngHeight;
using ::rebasin::testing::PngWidth;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

LineChart ChartOf(std::vector<double> x, std::vector<double> y) {
  LineChart chart{.title = "title", .x_label = "across", .y_label = "up"};
  chart.series.push_back(
      {.name = "data", .x = std::move(x), .y = std::move(y)});
  return chart;
}

// The bytes of the file that is written.
template <typename Drawing>
std::string Written(const Drawing& drawing, const std::string& name) {
  const TempDir folder;
  if constexpr (std::is_same_v<Drawing, LineChart>) {
    WriteChart(drawing, folder / name);
  } else {
    WriteFigure(drawing, folder / name);
  }
  EXPECT_THAT(folder.Files(), ElementsAre(name));
  return ReadAll(folder / name);
}

void ExpectDrawn(const LineChart& chart) {
  EXPECT_TRUE(IsPng(Written(chart, "chart.png")));
  EXPECT_TRUE(IsWellFormed(Written(chart, "chart.svg")));
}

void ExpectRefused(const LineChart& chart, const std::string& says) {
  const TempDir folder;
  ExpectError(ErrorCode::kUsage, {says},
              [&] { WriteChart(chart, folder / "chart.png"); });
  EXPECT_THAT(folder.Files(), IsEmpty());
}

TEST(Chart, IsAPngOfTwiceTheSize) {
  const std::string bytes = Written(Interpolation(), "figure.png");
  EXPECT_TRUE(IsPng(bytes));
  EXPECT_EQ(PngWidth(bytes), 1800u);
  EXPECT_GT(PngHeight(bytes), 600u);
  EXPECT_LT(PngHeight(bytes), 1200u);
}

TEST(Chart, IsAnSvgThatHoldsItsTexts) {
  const std::string bytes = Written(Interpolation(), "figure.svg");
  EXPECT_TRUE(IsWellFormed(bytes));
  for (const char* text :
       {"<title>ResNet20 ×4 on CIFAR-10</title>", "different seeds", "Loss",
        "Accuracy", "λ", "cross entropy", "naïve, train",
        "weight matching, test"}) {
    EXPECT_THAT(bytes, HasSubstr(text));
  }
}

TEST(Chart, MarksPointsThatAreFew) {
  const auto areas = [](const LineChart& chart) {
    const std::string bytes = Written(chart, "chart.svg");
    int count = 0;
    for (size_t at = 0; (at = bytes.find("fill-rule", at)) != bytes.npos;
         ++at) {
      ++count;
    }
    return count;
  };
  const int marked = areas(ChartOf({0, 4, 8}, {0, 1, 2}));
  const int line = areas(ChartOf({0, 1, 2, 3, 4, 5, 6, 7, 8},
                                 {0, .2, .4, .6, 1, 1.2, 1.4, 1.6, 2}));
  EXPECT_EQ(marked, line + 3);
}

TEST(Chart, TakesAnyText) {
  LineChart chart = ChartOf({0, 1}, {0, 1});
  chart.title = "a < b & \"c\" > d";
  chart.x_label = "broken \xff and \x01 bytes";
  chart.y_label = std::string(1000, 'w');
  chart.series[0].name = std::string(300, 'x');
  ExpectDrawn(chart);
  EXPECT_THAT(Written(chart, "chart.svg"),
              HasSubstr("<title>a &lt; b &amp; \"c\" &gt; d</title>"));
}

TEST(Chart, IsTheSameBytesEachTime) {
  for (const char* name : {"figure.svg", "figure.png"}) {
    EXPECT_EQ(Written(Interpolation(), name), Written(Interpolation(), name));
  }
}

TEST(Chart, DoesNotDependOnTheLocale) {
  const std::string before = Written(Interpolation(), "figure.svg");
  const testing::WithCommaLocale comma;
  EXPECT_EQ(before, Written(Interpolation(), "figure.svg"));
}

TEST(Chart, HasRowsForManyPanels) {
  Figure figure{.title = "many", .subtitle = "", .panels = {}};
  std::vector<uint32_t> heights;
  for (int panels = 1; panels <= 7; ++panels) {
    figure.panels.push_back(ChartOf({0, 1}, {0, 1}));
    const std::string bytes = Written(figure, "figure.png");
    EXPECT_EQ(PngWidth(bytes), 1800u);
    heights.push_back(PngHeight(bytes));
  }
  EXPECT_GT(heights[3], heights[2]);  // four: two rows of two
  EXPECT_GT(heights[6], heights[5]);  // seven: three rows of three
}

TEST(Chart, DrawsWhatThereIsOfDegenerateData) {
  ExpectDrawn(ChartOf({0.5}, {3}));
  ExpectDrawn(ChartOf({0, 1, 2}, {7, 7, 7}));
  ExpectDrawn(ChartOf({1, 1, 1}, {0, 0, 0}));
  ExpectDrawn(ChartOf({0, 1, 2, 3}, {kNan, 1, kInfinity, 2}));
  ExpectDrawn(ChartOf({0, 1}, {1e300, 1.000000001e300}));
  ExpectDrawn(ChartOf({0, 1}, {5e-324, 1e-323}));
  ExpectDrawn(ChartOf({0, 1}, {1e16, 1e16 + 2}));
}

TEST(Chart, DrawsLogarithms) {
  LineChart chart = ChartOf({0, 1, 2, 3}, {0, 1e-8, 3, 1e9});
  chart.log_y = true;
  ExpectDrawn(chart);
  chart.series[0].y = {-1, 0, 5, 0};
  ExpectDrawn(chart);
  chart.series[0].y = {1e-300, 1, 1e300, 1};
  ExpectDrawn(chart);
}

TEST(Chart, RefusesWhatCannotBeDrawn) {
  ExpectRefused(LineChart{}, "without series");
  ExpectRefused(ChartOf({}, {}), "no finite value");
  ExpectRefused(ChartOf({0, 1}, {kNan, kInfinity}), "no finite value");
  ExpectRefused(ChartOf({0, 1}, {0}), "2 x and 1 y");
  ExpectRefused(ChartOf({0, 1}, {-1.7e308, 1.7e308}), "too large");
  LineChart chart = ChartOf({0, 1}, {-1, 0});
  chart.log_y = true;
  ExpectRefused(chart, "no finite value");
  const TempDir folder;
  ExpectError(ErrorCode::kUsage, {"without panels"},
              [&] { WriteFigure({}, folder / "figure.png"); });
}

TEST(Chart, RefusesOtherEndings) {
  const TempDir folder;
  for (const char* name : {"chart.pdf", "chart", "chart.svgz", "png"}) {
    ExpectError(ErrorCode::kUsage, {name, ".svg", ".png"}, [&] {
      WriteChart(ChartOf({0, 1}, {0, 1}), folder / name);
    });
  }
  EXPECT_THAT(folder.Files(), IsEmpty());
}

TEST(Chart, ReplacesFilesOnlyIfForced) {
  const TempDir folder;
  const auto path = folder.Write("chart.png", "mine");
  const LineChart chart = ChartOf({0, 1}, {0, 1});
  ExpectError(ErrorCode::kUsage, {"chart.png"},
              [&] { WriteChart(chart, path); });
  EXPECT_EQ(ReadAll(path), "mine");
  WriteChart(chart, path, true);
  EXPECT_TRUE(IsPng(ReadAll(path)));
  ExpectError(ErrorCode::kIo, {"missing"},
              [&] { WriteChart(chart, folder / "missing/chart.png"); });
}

}  // namespace
}  // namespace rebasin
