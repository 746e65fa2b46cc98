// The graphs compute what PyTorch computes. The expected numbers are those of
// torchvision 0.14, of torch's LSTM, and of plain torch code where torchvision
// has no such model, for the weights and inputs made here.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "graph/interpreter.h"
#include "rebasin/zoo.h"
#include "zoo/models.h"

namespace rebasin {
namespace {

using testing::ScatteredInput;
using testing::ScatteredWeight;

Array RunModel(const std::string& text, int64_t vocab) {
  const Graph graph = ZooGraph(text);
  const Array input =
      ScatteredInput(graph.values()[graph.inputs().at(0)], vocab);
  const std::vector<Shape> shapes = {input.shape};
  const std::vector<Array> inputs = {input};
  const auto weights = [](const Value& weight) {
    return ScatteredWeight(weight.name, weight.shape);
  };
  return RunGraph(graph, Infer(graph, shapes), inputs, weights).at(0);
}

struct Expected {
  const char* text;
  double first[3];
  double sum;  // of absolute values
  int64_t vocab = 1;
};

class Meaning : public ::testing::TestWithParam<Expected> {};

TEST_P(Meaning, IsThatOfPyTorch) {
  const Expected& expected = GetParam();
  const Array output = RunModel(expected.text, expected.vocab);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(output.values().at(i), expected.first[i], 1e-9);
  }
  const double sum = std::accumulate(
      output.values().begin(), output.values().end(), 0.0,
      [](double total, double value) { return total + std::fabs(value); });
  EXPECT_NEAR(sum, expected.sum, 1e-9 * expected.sum);
}

INSTANTIATE_TEST_SUITE_P(
    All, Meaning,
    ::testing::Values(
        Expected{"resnet20",
                 {0.184474601651, -0.548284810294, -0.6058760466},
                 9.17818479879},
        Expected{"resnet20:shortcut=B,norm=layer",
                 {0.0622655368638, -0.739218592782, -0.633304548216},
                 11.1127734851},
        Expected{"densenet121:image=32",
                 {5.73876550853, 5.0014250235, 4.05442564075},
                 8998.05615516},
        Expected{"mobilenetv2:image=32",
                 {-5.4191174866, -5.29814648978, 7.65349854833},
                 10939.6878629},
        Expected{"vit:image=32,depth=2,width=128,mlp=200,classes=5",
                 {1.92239525628, -3.35888766845, 2.68035077969},
                 21.3489917194},
        Expected{
            "lstm:in=5,width=6,layers=2,classes=3,vocab=20,bidirectional=true",
            {0.293586454165, 0.356626323868, 0.255540323563},
            1.47948634309,
            20},
        Expected{"gpt2:depth=2,width=128,vocab=30,context=20",
                 {14.8165271594, -10.9944432926, 0.419480484272},
                 9769.7514513,
                 30},
        Expected{"llama:depth=2,width=128,kv_heads=1,mlp=100,vocab=30",
                 {-0.764557226044, 0.798122731996, -0.341474586715},
                 956.224133159,
                 30}));

}  // namespace
}  // namespace rebasin
