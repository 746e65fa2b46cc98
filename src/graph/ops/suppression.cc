// NonMaxSuppression: keeps the box with the highest score among boxes that
// overlap.

#include <algorithm>
#include <numeric>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

struct Box {
  double y1, x1, y2, x2;
  double area() const { return (y2 - y1) * (x2 - x1); }
};

// A box is given by two opposite corners in any order, or by its centre and
// sizes.
Box MakeBox(const double* numbers, bool centre) {
  if (centre) {
    const double half_width = numbers[2] / 2;
    const double half_height = numbers[3] / 2;
    return {numbers[1] - half_height, numbers[0] - half_width,
            numbers[1] + half_height, numbers[0] + half_width};
  }
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
          std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
}

double Overlap(const Box& a, const Box& b) {
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0) return 0;
  const double common = height * width;
  return common / (a.area() + b.area() - common);
}

// The only element of an optional input.
double NumberOr(const OpContext& context, size_t input, double otherwise) {
  const Array* array = context.array(input);
  if (array == nullptr) return otherwise;
  if (array->size() != 1) throw context.Bad("a limit is not a single number");
  return array->values()[0];
}

struct Limits {
  double most = 0;  // boxes of a class
  double overlap = 0;
  std::optional<double> score;
};

Limits LimitsOf(const OpContext& context) {
  Limits limits = {.most = NumberOr(context, 2, 0),
                   .overlap = NumberOr(context, 3, 0),
                   .score = std::nullopt};
  if (context.Has(4)) limits.score = NumberOr(context, 4, 0);
  return limits;
}

void CheckInputs(const OpContext& context) {
  const Shape& boxes = context.shape(0);
  const Shape& scores = context.shape(1);
  if (boxes.size() == 3 && scores.size() == 3 && boxes[2] == 4 &&
      boxes[0] == scores[0] && boxes[1] == scores[2]) {
    return;
  }
  throw context.Bad("scores of " + ShapeText(scores) + " do not fit boxes of " +
                    ShapeText(boxes));
}

// Limit of the box comparisons of one node, which take a few seconds.
constexpr int64_t kMaxComparisons = int64_t{1} << 30;

// Chooses boxes by descending score; boxes with equal scores keep their order.
class Suppressor {
 public:
  Suppressor(std::vector<Box> boxes, const Limits& limits)
      : boxes_(std::move(boxes)), limits_(limits) {}

  std::vector<int64_t> Choose(const OpContext& context, const double* scores) {
    std::vector<int64_t> order;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (!limits_.score || scores[i] > *limits_.score) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return scores[a] > scores[b];
    });
    std::vector<int64_t> chosen;
    for (const int64_t i : order) {
      if (static_cast<double>(chosen.size()) >= limits_.most) break;
      comparisons_ += static_cast<int64_t>(chosen.size());
      if (comparisons_ > kMaxComparisons) {
        throw Unsupported(context, "it has too many boxes");
      }
      const bool free =
          std::none_of(chosen.begin(), chosen.end(), [&](int64_t other) {
            return Overlap(boxes_[i], boxes_[other]) > limits_.overlap;
          });
      if (free) chosen.push_back(i);
    }
    return chosen;
  }

 private:
  std::vector<Box> boxes_;
  Limits limits_;
  int64_t comparisons_ = 0;
};

// Returns rows of (batch, class, box).
std::vector<double> Select(const OpContext& context) {
  const Shape& scores = context.shape(1);
  const bool centre = context.Int("center_point_box", 0) != 0;
  const Limits limits = LimitsOf(context);
  std::vector<double> rows;
  for (int64_t batch = 0; batch < scores[0]; ++batch) {
    std::vector<Box> boxes;
    for (int64_t i = 0; i < scores[2]; ++i) {
      const int64_t at = (batch * scores[2] + i) * 4;
      boxes.push_back(MakeBox(context.array(0)->values().data() + at, centre));
    }
    Suppressor suppressor(std::move(boxes), limits);
    for (int64_t c = 0; c < scores[1]; ++c) {
      const double* row = context.array(1)->values().data() +
                          (batch * scores[1] + c) * scores[2];
      for (const int64_t box : suppressor.Choose(context, row)) {
        rows.insert(rows.end(),
                    {static_cast<double>(batch), static_cast<double>(c),
                     static_cast<double>(box)});
      }
    }
  }
  return rows;
}

bool AllKnown(const OpContext& context) {
  for (size_t i = 0; i < context.inputs(); ++i) {
    if (context.Has(i) && context.array(i) == nullptr) return false;
  }
  return true;
}

std::vector<ValueType> InferNonMaxSuppression(const OpContext& context) {
  CheckInputs(context);
  if (!AllKnown(context)) return {ValueType{}};
  const auto count = static_cast<int64_t>(Select(context).size() / 3);
  return {KnownType(Kind::kInteger, {count, 3})};
}

std::vector<Array> EvaluateNonMaxSuppression(const OpContext& context,
                                             std::span<const ValueType> types) {
  return SingleOutput(types[0], Select(context));
}

constexpr bool kShapeIsCostly = true;

constexpr OperatorInput kInputs[] = {
    kData, {.role = InputRole::kScores}, kSetting};

constexpr Operator kOperators[] = {
    {"NonMaxSuppression", 5, InferNonMaxSuppression, EvaluateNonMaxSuppression,
     With(kComputes, kInputs, SymmetryLaw::kNone, DegreeLaw::kNone,
          LoweredBy::kReference),
     kCostly, kShapeIsCostly},
};

}  // namespace

std::span<const Operator> SuppressionOperators() { return kOperators; }

}  // namespace rebasin
