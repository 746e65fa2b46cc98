#include "zoo/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

// Large enough for a softmax of 0, and finite, so that arithmetic on it is
// defined.
constexpr double kNever = -1e9;

}  // namespace

ValueId TokenInput(GraphBuilder& g, int64_t sequence) {
  return g.Input("input", {kOpenSize, sequence}, Kind::kInteger, {"batch"});
}

ValueId SplitHeads(GraphBuilder& g, ValueId x, int64_t heads) {
  const int64_t size = g.shape(x).back() / heads;
  return Transpose(g, Reshape(g, x, {0, 0, heads, size}), {0, 2, 1, 3});
}

ValueId Attend(GraphBuilder& g, ValueId q, ValueId k, ValueId v, ValueId mask) {
  const double size = static_cast<double>(g.shape(q).back());
  const ValueId products = g.Add("MatMul", {q, Transpose(g, k, {0, 1, 3, 2})});
  ValueId scores = Scaled(g, products, 1 / std::sqrt(size));
  if (mask != kNoValue) scores = Plus(g, scores, mask);
  const ValueId shares = g.Add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const ValueId mixed = g.Add("MatMul", {shares, v});
  return Reshape(g, Transpose(g, mixed, {0, 2, 1, 3}), {0, 0, -1});
}

ValueId AttendPacked(GraphBuilder& g, ValueId qkv, int64_t heads,
                     ValueId mask) {
  const int64_t width = g.shape(qkv).back() / 3;
  const std::vector<ValueId> parts =
      g.AddMany("Split", {qkv, g.Ints({width, width, width})},
                {{"axis", int64_t{-1}}}, 3);
  return Attend(g, SplitHeads(g, parts[0], heads),
                SplitHeads(g, parts[1], heads), SplitHeads(g, parts[2], heads),
                mask);
}

ValueId CausalMask(GraphBuilder& g, int64_t sequence) {
  std::vector<double> mask(sequence * sequence, 0);
  for (int64_t from = 0; from < sequence; ++from) {
    const auto row = mask.begin() + from * sequence;
    std::fill(row + from + 1, row + sequence, kNever);
  }
  return g.Constant(
      MakeArray(Kind::kFloat, {sequence, sequence}, std::move(mask)));
}

ZooOption Heads() {
  return Number("heads", 0, 0, kMaxHeads,
                "attention heads; 0: of the usual size");
}

void ResolveHeads(Settings& settings, int64_t usual_head_size) {
  settings.Set("heads", std::to_string(HeadsOf(settings, usual_head_size)));
}

std::vector<Findings> HeadChoices(int64_t width) {
  std::vector<Findings> choices;
  for (int64_t heads = 1; heads <= std::min(width, kMaxHeads); ++heads) {
    if (width % heads == 0) choices.push_back({{"heads", heads}});
  }
  return choices;
}

int64_t HeadsOf(const Settings& settings, int64_t usual_head_size) {
  const int64_t width = settings.Int("width");
  const int64_t heads = settings.Int("heads");
  if (heads == 0 && width % usual_head_size != 0) {
    throw settings.Bad("no number of heads is usual for the width " +
                       std::to_string(width) + "; specify heads=...");
  }
  if (heads == 0) return width / usual_head_size;
  if (width % heads == 0) return heads;
  throw settings.Bad("the width " + std::to_string(width) +
                     " is not a multiple of " + std::to_string(heads) +
                     " heads");
}

}  // namespace rebasin::zoo
