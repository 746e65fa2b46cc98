#include "report/vega.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_document.h"

namespace rebasin {
namespace {

using Json = nlohmann::json;

Json SpecOf(const LineChart& chart) {
  return Json::parse(VegaSpec(chart, ColorsByName({.panels = {chart}})));
}

TEST(VegaTest, ColorsAreHexadecimal) {
  EXPECT_EQ(HexColor({0, 1, 0.5}), "#00ff80");
}

TEST(VegaTest, EveryPointIsThereAndGapsAreNull) {
  const LineChart chart = SampleChart("train");
  const Json rows = SpecOf(chart)["data"]["values"];
  ASSERT_EQ(rows.size(), 22u);
  EXPECT_TRUE(rows[5]["y"].is_null());
  EXPECT_EQ(rows[0]["y"], 0.1);
  EXPECT_EQ(rows[0]["dash"], false);
  EXPECT_EQ(rows[11]["dash"], true);
  EXPECT_NE(rows[0]["color"], rows[11]["color"]);
}

TEST(VegaTest, NothingEndsTheScriptElement) {
  const LineChart chart = SampleChart("train");
  EXPECT_EQ(VegaSpec(chart, ColorsByName({.panels = {chart}})).find('<'),
            std::string::npos);
  EXPECT_EQ(VegaSpec(SampleMap()).find('<'), std::string::npos);
}

TEST(VegaTest, LogarithmicAxesHideWhatIsNotPositive) {
  LineChart chart = SampleChart("train");
  chart.log_y = true;
  chart.series[0].y[0] = -1;
  const Json spec = SpecOf(chart);
  EXPECT_EQ(spec["encoding"]["y"]["scale"]["type"], "log");
  EXPECT_TRUE(spec["data"]["values"][0]["y"].is_null());
}

TEST(VegaTest, CountedThingsHaveNoTicksBetweenThem) {
  LineChart chart{.series = {{.x = {1, 2, 3}, .y = {0, 1, 0}}}};
  EXPECT_EQ(SpecOf(chart)["encoding"]["x"]["axis"]["values"],
            Json({1.0, 2.0, 3.0}));
  chart.series[0].x[1] = 1.5;
  EXPECT_FALSE(SpecOf(chart)["encoding"]["x"]["axis"].contains("values"));
}

TEST(VegaTest, MapsHaveCellsPathsAndPoints) {
  const Json layers = Json::parse(VegaSpec(SampleMap()))["layer"];
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[0]["data"]["values"].size(), 81u);
  EXPECT_EQ(layers[1]["data"]["values"].size(), 1u);
  EXPECT_EQ(layers[2]["data"]["values"].size(), 2u);
}

}  // namespace
}  // namespace rebasin
