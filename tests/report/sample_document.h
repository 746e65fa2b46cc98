// A report with one of everything, and texts that mean harm.

#ifndef REBASIN_TESTS_REPORT_SAMPLE_DOCUMENT_H_
#define REBASIN_TESTS_REPORT_SAMPLE_DOCUMENT_H_

#include <cmath>
#include <limits>

#include "report/document.h"

namespace rebasin {

inline constexpr const char* kHostile =
    "</script></style><script>throw 1</script><b a='\"x\"'>&amp; \x01";

inline LineChart SampleChart(const std::string& title) {
  LineChart chart{.title = title, .x_label = "lambda", .y_label = "loss"};
  Series naive{.name = "naive"}, matched{.name = kHostile, .dashes = true};
  for (int i = 0; i <= 10; ++i) {
    const double x = i / 10.0;
    naive.x.push_back(x);
    naive.y.push_back(i == 5 ? std::numeric_limits<double>::quiet_NaN()
                             : 0.1 + 4 * x * (1 - x));
    matched.x.push_back(x);
    matched.y.push_back(0.1 + 0.1 * std::sin(3 * x));
  }
  chart.series = {naive, matched};
  return chart;
}

inline Contour SampleMap() {
  Contour contour{
      .title = "Plane", .x_label = "x", .y_label = "y", .z_label = "loss"};
  for (int i = 0; i < 9; ++i) {
    contour.x.push_back(i);
    contour.y.push_back(i);
  }
  for (int r = 0; r < 9; ++r) {
    for (int c = 0; c < 9; ++c) contour.z.push_back(1 + r * r + 3 * c);
  }
  contour.points = {{"A", 1, 1}, {kHostile, 6, 5}};
  contour.paths = {{contour.points[0], contour.points[1], "naive"}};
  return contour;
}

inline Document SampleDocument() {
  Document document{.title = "A report", .question = "Does it draw?"};
  document.claims = {{"It draws.", Support::kSupported, "It does."},
                     {kHostile, Support::kMixed, kHostile},
                     {"It sings.", Support::kNotSupported, "It does not."},
                     {"It dreams.", Support::kNotTested, "Nobody knows."}};
  document.blocks = {
      Paragraph{"Some words."},
      Listing{std::string("a  1\n") + kHostile},
      DataTable{
          .name = "table",
          .caption = "Numbers and words",
          .columns = {"name", "loss"},
          .rows = {{"naive", {"0.33", 1.0 / 3}}, {kHostile, {"nan", NAN}}}},
      Plot{"curves",
           "Two curves",
           {.title = "Curves",
            .panels = {SampleChart("train"), SampleChart("test")}}},
      MapPlot{"plane", "A map", SampleMap()},
      Callout{Support::kSupported, "It is so.", kHostile},
      SectionTitle{kHostile}};
  document.facts = {{"command", "rebasin lab sample"}, {"seed", "7"}};
  return document;
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_REPORT_SAMPLE_DOCUMENT_H_
