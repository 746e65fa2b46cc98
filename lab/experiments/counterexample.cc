// Section 4 and the appendix: two networks with two units in each layer that
// solve the same task, and no permutation that connects them.
//
// The networks are those of the paper's code: leaky units with slope 0.01,
// positive where both inputs are.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/verdicts.h"
#include "rebasin/merge.h"

namespace rebasin::lab {
namespace {

using Inputs = std::array<double, 2>;

constexpr double kSlope = 0.01;

Checkpoint MakeNetwork(std::vector<float> w1, std::vector<float> b1,
                       std::vector<float> w2, std::vector<float> b2) {
  return Checkpoint(
      {MakeTensor("fc1.weight", {2, 2}, w1), MakeTensor("fc1.bias", {2}, b1),
       MakeTensor("fc2.weight", {2, 2}, w2), MakeTensor("fc2.bias", {2}, b2),
       MakeTensor("fc3.weight", {1, 2}, std::vector<float>{-1, -1}),
       MakeTensor("fc3.bias", {1}, std::vector<float>{0})});
}

Checkpoint NetworkA() {
  return MakeNetwork({1, 0, 0, -1}, {1, 0}, {-1, 0, 0, 1}, {1, 0});
}
Checkpoint NetworkB() {
  return MakeNetwork({-1, 0, 0, 1}, {0, 1}, {1, 0, 0, -1}, {0, 1});
}

std::vector<float> Values(const Checkpoint& model, const std::string& name) {
  const Tensor& tensor = *model.Find(name);
  std::vector<float> values(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return values;
}

// Evaluates the network as a function.
class Function {
 public:
  explicit Function(const Checkpoint& model)
      : w1_(Values(model, "fc1.weight")),
        b1_(Values(model, "fc1.bias")),
        w2_(Values(model, "fc2.weight")),
        b2_(Values(model, "fc2.bias")),
        w3_(Values(model, "fc3.weight")),
        b3_(Values(model, "fc3.bias")) {}

  double operator()(const Inputs& x) const {
    const Inputs y = Layer(w2_, b2_, Layer(w1_, b1_, x));
    return w3_[0] * y[0] + w3_[1] * y[1] + b3_[0];
  }

 private:
  static Inputs Layer(const std::vector<float>& w, const std::vector<float>& b,
                      const Inputs& x) {
    Inputs y;
    for (size_t i = 0; i < 2; ++i) {
      const double sum = w[2 * i] * x[0] + w[2 * i + 1] * x[1] + b[i];
      y[i] = sum > 0 ? sum : kSlope * sum;
    }
    return y;
  }

  std::vector<float> w1_, b1_, w2_, b2_, w3_, b3_;
};

// Samples at midpoints of cells, so that none is on the border of a quadrant.
constexpr int kCells = 64;
double Coordinate(int cell) { return (2.0 * cell + 1) / kCells - 1; }

double ErrorRate(const Function& f) {
  int wrong = 0;
  for (int r = 0; r < kCells; ++r) {
    for (int c = 0; c < kCells; ++c) {
      const Inputs x = {Coordinate(c), Coordinate(r)};
      wrong += (f(x) >= 0) != (x[0] >= 0 && x[1] >= 0) ? 1 : 0;
    }
  }
  return static_cast<double>(wrong) / (kCells * kCells);
}

Checkpoint Mixed(const Checkpoint& a, const Checkpoint& b, double lambda) {
  const std::array<MergeInput, 2> models = {MergeInput{&a}, MergeInput{&b}};
  return Merge(models, {.weights = {1 - lambda, lambda}}, {.threads = 1});
}

MapPlot Picture(const std::string& name, const std::string& title,
                const Checkpoint& model) {
  const Function f(model);
  Contour contour{.title = title,
                  .x_label = "first input",
                  .y_label = "second input",
                  .z_label = "output"};
  for (int i = 0; i < kCells; ++i) contour.x.push_back(Coordinate(i));
  contour.y = contour.x;
  for (const double y : contour.y) {
    for (const double x : contour.x) contour.z.push_back(f({x, y}));
  }
  return {.name = name,
          .caption = title + ": the output over the inputs. Wrong on " +
                     Percent(ErrorRate(f)) + " of them.",
          .contour = contour};
}

struct Swap {
  const char* name;
  bool first, second;
};
constexpr Swap kSwaps[] = {{"as it is", false, false},
                           {"first layer swapped", true, false},
                           {"second layer swapped", false, true},
                           {"both swapped", true, true}};

Alignment AlignmentOf(const Swap& swap,
                      const std::shared_ptr<const Symmetry>& symmetry) {
  Alignment alignment(symmetry);
  const std::array<bool, 2> swapped = {swap.first, swap.second};
  for (int g = 0; g < 2; ++g) {
    auto permutation = alignment.mutable_permutation(g);
    if (swapped[static_cast<size_t>(g)]) {
      std::swap(permutation[0], permutation[1]);
    }
  }
  return alignment;
}

}  // namespace

Document RunCounterexample(Lab& lab) {
  lab.ReportProgress("counterexample");
  const Checkpoint a = NetworkA(), b = NetworkB();
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(a));
  Document document{
      .title = "A counterexample",
      .question =
          "Is there always a permutation that connects two networks "
          "which solve the same task?"};
  LineChart chart{.x_label = "lambda: the share of B",
                  .y_label = "wrong answers, %"};
  std::vector<NamedNumber> worst;
  std::vector<Block> pictures = {Picture("network-a", "Network A", a),
                                 Picture("network-b", "Network B", b)};
  for (const Swap& swap : kSwaps) {
    const Checkpoint moved =
        Permute(b, AlignmentOf(swap, symmetry), {.threads = 1});
    Series series{.name = std::string("B ") + swap.name};
    for (int i = 0; i <= 32; ++i) {
      series.x.push_back(i / 32.0);
      series.y.push_back(100 * ErrorRate(Function(Mixed(a, moved, i / 32.0))));
    }
    worst.push_back(
        {series.name, *std::max_element(series.y.begin(), series.y.end())});
    chart.series.push_back(std::move(series));
    pictures.push_back(Picture("midpoint-" + std::to_string(&swap - kSwaps),
                               std::string("Half-way to B ") + swap.name,
                               Mixed(a, moved, 0.5)));
  }
  document.claims = {AllAbove(
      "Two networks solve the task exactly, and none of the four permutations "
      "connects them without a barrier.",
      worst, 0)};
  document.blocks.push_back(
      Plot{"errors",
           "Wrong answers along the straight lines from A to each of the four "
           "permuted copies of B.",
           {.title = "All permutations of B", .panels = {chart}}});
  document.blocks.push_back(
      Paragraph{"The task: is a point of the square in the upper right "
                "quadrant? A and B agree on every point. Their midpoints do "
                "not, whichever way B's units are ordered:"});
  document.blocks.insert(document.blocks.end(), pictures.begin(),
                         pictures.end());
  return document;
}

}  // namespace rebasin::lab
