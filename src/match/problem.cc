#include "match/problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "rebasin/error.h"

namespace rebasin {
namespace {

// Partial sums are taken over pieces of a fixed size and added in order, so
// that the total does not depend on the number of threads.
constexpr int64_t kPiece = int64_t{1} << 20;

struct Moments {
  double aa = 0, bb = 0, ab = 0;

  void operator+=(const Moments& other) {
    aa += other.aa;
    bb += other.bb;
    ab += other.ab;
  }
};

// Sums in float over short stretches would round; the compiler vectorises
// independent double lanes.
Moments Measure(std::span<const float> a, std::span<const float> b) {
  constexpr size_t kLanes = 16;
  double aa[kLanes] = {}, bb[kLanes] = {}, ab[kLanes] = {};
  const size_t whole = a.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      const double x = a[i + l], y = b[i + l];
      aa[l] += x * x;
      bb[l] += y * y;
      ab[l] += x * y;
    }
  }
  Moments sum;
  for (size_t l = 0; l < kLanes; ++l) sum += {aa[l], bb[l], ab[l]};
  for (size_t i = whole; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    sum += {x * x, y * y, x * y};
  }
  return sum;
}

[[noreturn]] void FailNonFinite(const std::string& name, const char* model,
                                std::span<const float> values) {
  const auto bad = [](float x) { return !std::isfinite(x); };
  const auto first = std::find_if(values.begin(), values.end(), bad);
  const auto count = std::count_if(values.begin(), values.end(), bad);
  throw Error(ErrorCode::kBadInput,
              "model " + std::string(model) + ", tensor " + Quoted(name) +
                  ": " + std::to_string(count) +
                  " values are NaN or infinite, the first at index " +
                  std::to_string(first - values.begin()),
              "such a model cannot be matched");
}

// sum over i of a[a_offsets[i]] * b[b_offsets[i]], in runs where both are
// contiguous.
double GatherDot(const float* a, const float* b,
                 std::span<const int64_t> a_offsets,
                 std::span<const int64_t> b_offsets) {
  double sum = 0;
  for (size_t i = 0; i < a_offsets.size(); ++i) {
    sum += static_cast<double>(a[a_offsets[i]]) * b[b_offsets[i]];
  }
  return sum;
}

// Walks all combinations of the outer slots; the innermost is a flat loop.
double BlockDot(const float* a, const float* b,
                std::span<const std::vector<int64_t>> a_offsets,
                std::span<const std::vector<int64_t>> b_offsets) {
  if (a_offsets.empty()) return static_cast<double>(*a) * *b;
  if (a_offsets.size() == 1) return GatherDot(a, b, a_offsets[0], b_offsets[0]);
  double sum = 0;
  for (size_t i = 0; i < a_offsets[0].size(); ++i) {
    sum += BlockDot(a + a_offsets[0][i], b + b_offsets[0][i],
                    a_offsets.subspan(1), b_offsets.subspan(1));
  }
  return sum;
}

double BlockWeight(const Term& term) {
  std::vector<std::vector<int64_t>> offsets;
  for (const Slot& slot : term.block.slots) offsets.push_back(Offsets(slot));
  const double aa = BlockDot(term.a, term.a, offsets, offsets);
  const double bb = BlockDot(term.b, term.b, offsets, offsets);
  return std::sqrt(aa) * std::sqrt(bb);
}

}  // namespace

Problem::Problem(const Checkpoint& a, const Checkpoint& b,
                 std::shared_ptr<const Symmetry> symmetry, ThreadPool& pool)
    : symmetry_(std::move(symmetry)), a_(a), b_(b) {
  for (const TensorSymmetry& tensor : symmetry_->tensors()) {
    const Tensor* in_a = a_.Find(tensor.name);
    const Tensor* in_b = b_.Find(tensor.name);
    if (tensor.statistic || !IsArithmetic(in_a->dtype)) continue;
    if (in_a->size() == 0) continue;
    tensors_.push_back({.name = tensor.name,
                        .symmetry = &tensor,
                        .a = Hold(*in_a),
                        .b = Hold(*in_b)});
  }
  MeasureTensors(pool);
  for (size_t t = 0; t < tensors_.size(); ++t) AddTerms(static_cast<int>(t));
  IndexTrees();
}

std::span<const float> Problem::Hold(const Tensor& tensor) {
  const std::span<const float> in_place = FloatsInPlace(tensor);
  if (!in_place.empty()) return in_place;
  auto& values = converted_.emplace_back(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return values;
}

// One streaming pass over both models; also the check that all is finite,
// since a NaN or infinity anywhere makes a sum of squares not finite.
void Problem::MeasureTensors(ThreadPool& pool) {
  for (TensorPair& pair : tensors_) {
    const auto size = static_cast<int64_t>(pair.a.size());
    std::vector<Moments> pieces((size + kPiece - 1) / kPiece);
    pool.For(static_cast<int64_t>(pieces.size()), [&](int64_t p) {
      const size_t begin = p * kPiece;
      const size_t count = std::min(kPiece, size - p * kPiece);
      pieces[p] =
          Measure(pair.a.subspan(begin, count), pair.b.subspan(begin, count));
    });
    Moments sum;
    for (const Moments& piece : pieces) sum += piece;
    if (!std::isfinite(sum.aa)) FailNonFinite(pair.name, "A", pair.a);
    if (!std::isfinite(sum.bb)) FailNonFinite(pair.name, "B", pair.b);
    pair.norm_a = std::sqrt(sum.aa);
    pair.norm_b = std::sqrt(sum.bb);
    pair.dot = sum.ab;
  }
}

void Problem::AddTerms(int tensor) {
  const TensorPair& pair = tensors_[tensor];
  std::vector<Block> blocks = TensorBlocks(*symmetry_, *pair.symmetry);
  const bool whole = blocks.size() == 1;
  for (Block& block : blocks) {
    Term term{.tensor = tensor,
              .a = pair.a.data() + block.offset,
              .b = pair.b.data() + block.offset,
              .block = std::move(block)};
    term.weight = whole ? pair.norm_a * pair.norm_b : BlockWeight(term);
    terms_.push_back(std::move(term));
  }
}

void Problem::IndexTrees() {
  tree_of_.assign(symmetry_->groups().size(), -1);
  for (size_t t = 0; t < terms_.size(); ++t) {
    const std::vector<Slot>& slots = terms_[t].block.slots;
    for (size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].root == kNoGroup) continue;
      int& tree = tree_of_[slots[s].root];
      if (tree < 0) {
        tree = static_cast<int>(roots_.size());
        roots_.push_back(slots[s].root);
        occurrences_.emplace_back();
      }
      occurrences_[tree].push_back({static_cast<int>(t), static_cast<int>(s)});
    }
  }
}

double Problem::Value(const Term& term, const Alignment& alignment) const {
  std::vector<std::vector<int64_t>> a_offsets, b_offsets;
  for (const Slot& slot : term.block.slots) {
    a_offsets.push_back(Offsets(slot));
    b_offsets.push_back(Offsets(slot, alignment));
  }
  return BlockDot(term.a, term.b, a_offsets, b_offsets);
}

double Problem::Value(const Alignment& alignment, ThreadPool& pool) const {
  std::vector<double> values(terms_.size());
  pool.For(static_cast<int64_t>(terms_.size()),
           [&](int64_t t) { values[t] = Value(terms_[t], alignment); });
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

}  // namespace rebasin
