// Section 4 and the appendix: two networks with two units in each layer that
// solve the same task, and no permutation that connects them. The networks are
// those of the paper's text. (Its code has leaky units and another quadrant.)

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/square_networks.h"
#include "lab/verdicts.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"

namespace rebasin::lab {
namespace {

using SymmetryPtr = std::shared_ptr<const Symmetry>;
using Order = std::vector<int32_t>;

Checkpoint Mixed(const Checkpoint& a, const Checkpoint& b, double lambda) {
  const std::array<MergeInput, 2> models = {MergeInput{&a}, MergeInput{&b}};
  return Merge(models, {.weights = {1 - lambda, lambda}}, {.threads = 1});
}

Alignment AlignmentOf(const SymmetryPtr& symmetry, const Order& first,
                      const Order& second) {
  Alignment alignment(symmetry);
  std::copy(first.begin(), first.end(),
            alignment.mutable_permutation(0).begin());
  std::copy(second.begin(), second.end(),
            alignment.mutable_permutation(1).begin());
  return alignment;
}

struct Permuted {
  const char* name;
  Order first, second;
};

std::vector<Permuted> AllFour() {
  return {{"no swap", {0, 1}, {0, 1}},
          {"first layer swapped", {1, 0}, {0, 1}},
          {"second layer swapped", {0, 1}, {1, 0}},
          {"both swapped", {1, 0}, {1, 0}}};
}

// The networks along the line to each permuted B.
constexpr int kColumns = 9;
double LambdaOf(int column) {
  return static_cast<double>(column) / (kColumns - 1);
}

// Largest share of wrong answers between A and B.
double WorstBetween(const Checkpoint& a, const Checkpoint& b) {
  double worst = 0;
  for (int column = 1; column + 1 < kColumns; ++column) {
    worst = std::max(worst, SquareErrors(Mixed(a, b, LambdaOf(column))));
  }
  return worst;
}

// A mosaic of the prediction functions: a row for each permuted B, a column for
// each lambda. Cells are squares of the inputs with gaps between them.
constexpr int kPixels = 24, kGap = 4, kPitch = kPixels + kGap;

class Mosaic {
 public:
  explicit Mosaic(int rows)
      : z_(static_cast<size_t>(rows * kPitch - kGap),
           std::vector<double>(kColumns * kPitch - kGap,
                               std::numeric_limits<double>::quiet_NaN())) {}

  void Add(int row, int column, const Checkpoint& network) {
    const SquareFunction f(network);
    for (int y = 0; y < kPixels; ++y) {
      for (int x = 0; x < kPixels; ++x) {
        z_[static_cast<size_t>(row * kPitch + y)]
          [static_cast<size_t>(column * kPitch + x)] =
              f({SquareCoordinate(x, kPixels), SquareCoordinate(y, kPixels)});
      }
    }
  }

  // Centres of cells are at their lambda, and at the number of their row.
  Contour ToContour() const {
    Contour contour{.title = "Prediction functions",
                    .subtitle = "each cell is the square of inputs",
                    .x_label = "lambda: the share of B",
                    .y_label = "permutation of B",
                    .z_label = "output",
                    .equal_axes = false};
    const auto at = [](size_t i) {
      return (static_cast<double>(i) - (kPixels - 1) / 2.0) / kPitch;
    };
    for (size_t x = 0; x < z_[0].size(); ++x) {
      contour.x.push_back(at(x) / (kColumns - 1));
    }
    for (size_t y = 0; y < z_.size(); ++y) contour.y.push_back(at(y) + 1);
    for (const auto& row : z_) {
      contour.z.insert(contour.z.end(), row.begin(), row.end());
    }
    return contour;
  }

 private:
  std::vector<std::vector<double>> z_;
};

// The small networks: all four permutations.
std::vector<NamedNumber> AddSmall(Document& document) {
  const Checkpoint a = SquareNetworkA(), b = SquareNetworkB();
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(a));
  LineChart chart{.x_label = "lambda: the share of B",
                  .y_label = "wrong answers, %"};
  std::vector<NamedNumber> worst;
  Mosaic mosaic(4);
  std::string rows;
  for (const Permuted& one : AllFour()) {
    const int row = static_cast<int>(worst.size());
    const Checkpoint moved = Permute(
        b, AlignmentOf(symmetry, one.first, one.second), {.threads = 1});
    for (int column = 0; column < kColumns; ++column) {
      mosaic.Add(row, column, Mixed(a, moved, LambdaOf(column)));
    }
    constexpr int kSteps = 64;
    Series series{.name = one.name};
    for (int i = 0; i <= kSteps; ++i) {
      series.x.push_back(static_cast<double>(i) / kSteps);
      series.y.push_back(100 * SquareErrors(Mixed(a, moved, series.x.back())));
    }
    worst.push_back(
        {one.name, *std::max_element(series.y.begin(), series.y.end()) / 100});
    rows += std::to_string(row + 1) + ": " + one.name + (row < 3 ? ", " : ".");
    chart.series.push_back(std::move(series));
  }
  document.blocks.push_back(
      Plot{"errors",
           "Wrong answers along the straight lines from A to each of the four "
           "permuted copies of B. Lines with and without the second swap alone "
           "lie on each other.",
           {.title = "All permutations of B", .panels = {chart}}});
  document.blocks.push_back(MapPlot{
      "functions",
      "The functions between A, on the left, and each permuted B. " + rows,
      mosaic.ToContour()});
  return worst;
}

// The smallest barrier of all permutations of both layers.
double BestOfAll(const Checkpoint& a, const Checkpoint& b, int units) {
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(a));
  Order first(static_cast<size_t>(units));
  std::iota(first.begin(), first.end(), 0);
  Order second = first;
  double best = 1;
  do {
    do {
      best = std::min(
          best, WorstBetween(a, Permute(b, AlignmentOf(symmetry, first, second),
                                        {.threads = 1})));
    } while (std::next_permutation(second.begin(), second.end()));
  } while (std::next_permutation(first.begin(), first.end()));
  return best;
}

double Matched(Lab& lab, const Checkpoint& a, const Checkpoint& b) {
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(a));
  const MatchResult found = MatchWeights(a, b, symmetry, {}, lab.QuietRun());
  return WorstBetween(a, Permute(b, found.alignment, {.threads = 1}));
}

// Wider networks that compute the same function: the smallest barrier of all
// permutations of few units, and that of weight matching of many.
std::vector<NamedNumber> AddWide(Lab& lab, Document& document) {
  const Checkpoint a = SquareNetworkA(), b = SquareNetworkB();
  constexpr int kFew = 2, kMany = 32;
  const double all = BestOfAll(WithCopies(a, kFew), WithCopies(b, kFew), 4);
  const double matched =
      Matched(lab, WithCopies(a, kMany), WithCopies(b, kMany));
  const double dead =
      BestOfAll(WithDeadUnits(a, kFew), WithDeadUnits(b, kFew), 4);
  document.blocks.push_back(Paragraph{
      "The trick in wider networks: each hidden unit becomes several copies, "
      "which share its outgoing weights. The function is the same. With units "
      "that do nothing it is different: these are room to which a permutation "
      "can move one of the networks, and then the two do not disturb each "
      "other."});
  document.blocks.push_back(DataTable{
      .name = "wide",
      .caption = "Most wrong answers between A and B",
      .columns = {"network", "permutation", "wrong answers"},
      .rows = {
          {"2 copies of each unit", "the best of all 576", PercentCell(all)},
          {"32 copies of each unit", "weight matching", PercentCell(matched)},
          {"2 dead units in each layer", "the best of all 576",
           PercentCell(dead)}}});
  return {{"2 copies, all permutations", all}, {"32 copies, matched", matched}};
}

}  // namespace

Document RunCounterexample(Lab& lab) {
  lab.ReportProgress("counterexample");
  Document document{
      .title = "A counterexample",
      .question =
          "Is there always a permutation that connects two networks "
          "which solve the same task?"};
  document.blocks = {
      Paragraph{"The task: is a point of the square in the upper left "
                "quadrant, where the first input is negative and the second "
                "positive? A and B agree on every point: both compute "
                "-(relu(x1) + relu(-x2)), and the answer is yes where this is "
                "not negative."}};
  const std::vector<NamedNumber> small = AddSmall(document);
  const std::vector<NamedNumber> wide = AddWide(lab, document);
  document.claims = {
      AllAbove("Two networks solve the task exactly, and none of the four "
               "permutations connects them without a barrier (largest share "
               "of wrong answers).",
               small, 0),
      AllAbove("The same trick works in wider networks.", wide, 0)};
  return document;
}

}  // namespace rebasin::lab
