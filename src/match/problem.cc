#include "match/problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>

#include "rebasin/error.h"
#include "symmetry/lists.h"
#include "tensor/inner_product.h"
#include "tensor/non_finite.h"

namespace rebasin {
namespace {

// Partial sums are taken over pieces of a fixed size and added in order, so
// that the total does not depend on the number of threads.
constexpr int64_t kPiece = int64_t{1} << 18;

// Costs are floats, and no entry exceeds the sum of the terms' weights.
constexpr double kMaxCost = 1e37;

[[noreturn]] void FailNonFinite(const TensorPair& pair, const Checkpoint& model,
                                const char* which) {
  const auto why = [&](const std::string& name) {
    return WhyNotFloat(*model.Find(name));
  };
  const auto culprit =
      std::find_if(pair.members.begin(), pair.members.end() - 1,
                   [&](const std::string& name) { return !why(name).empty(); });
  throw Error(ErrorCode::kBadInput,
              "model " + std::string(which) + ", tensor " + Quoted(*culprit) +
                  ": " + why(*culprit),
              "such a model cannot be matched");
}

[[noreturn]] void FailLarge(const TensorPair& pair) {
  std::ostringstream norms;
  norms << pair.norm_a << " and " << pair.norm_b;
  throw Error(ErrorCode::kBadInput,
              "tensor " + Quoted(pair.name) +
                  ": the product of both models "
                  "exceeds float32, their norms being " +
                  norms.str(),
              "such models cannot be matched; scale them down first");
}

// The inner product of a block of A with the permuted block of B.
class BlockProduct {
 public:
  BlockProduct(const Term& term, const Alignment* alignment) : term_(term) {
    for (const Slot& slot : term.block.slots) {
      a_.push_back(Offsets(slot));
      b_.push_back(alignment ? Offsets(slot, *alignment) : a_.back());
    }
    if (a_.empty()) a_ = b_ = {{0}};
    dense_ = IsDense(a_.back()) && IsDense(b_.back());
  }

  int64_t rows() const { return static_cast<int64_t>(a_[0].size()); }
  int64_t row_size() const { return term_.block.size() / rows(); }

  // Over rows [begin, end) of the first slot.
  double Sum(int64_t begin, int64_t end) const {
    ProductSums sums{};
    if (dense_ && a_.size() == 2) {
      const auto part = [&](const std::vector<int64_t>& at) {
        return std::span(at).subspan(begin, end - begin);
      };
      AddRuns(term_.a, term_.b, part(a_[0]), part(b_[0]), sums);
    } else {
      for (int64_t i = begin; i < end; ++i) {
        AddSlots(1, term_.a + a_[0][i], term_.b + b_[0][i], sums);
      }
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

 private:
  static bool IsDense(const std::vector<int64_t>& offsets) {
    for (size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i] != offsets[i - 1] + 1) return false;
    }
    return true;
  }

  void AddSlots(size_t slot, const float* a, const float* b,
                ProductSums& sums) const {
    if (slot == a_.size()) {
      sums[0] += static_cast<double>(*a) * *b;
    } else if (dense_ && slot + 2 == a_.size()) {
      AddRuns(a, b, a_[slot], b_[slot], sums);
    } else if (slot + 1 < a_.size()) {
      for (size_t i = 0; i < a_[slot].size(); ++i) {
        AddSlots(slot + 1, a + a_[slot][i], b + b_[slot][i], sums);
      }
    } else {
      AddGathered(a, b, a_[slot], b_[slot], sums);
    }
  }

  // Adds the products of the last slot, which is contiguous, at each of these
  // offsets.
  void AddRuns(const float* a, const float* b, std::span<const int64_t> a_at,
               std::span<const int64_t> b_at, ProductSums& sums) const {
    AddProducts({.a = a + a_.back()[0],
                 .b = b + b_.back()[0],
                 .a_at = a_at,
                 .b_at = b_at,
                 .length = a_.back().size()},
                sums);
  }

  static void AddGathered(const float* a, const float* b,
                          std::span<const int64_t> a_at,
                          std::span<const int64_t> b_at, ProductSums& sums) {
    // Independent sums, because a single sum would wait for each addition.
    constexpr size_t kLanes = 8;
    size_t i = 0;
    for (; i + kLanes <= a_at.size(); i += kLanes) {
      for (size_t l = 0; l < kLanes; ++l) {
        sums[l] += static_cast<double>(a[a_at[i + l]]) * b[b_at[i + l]];
      }
    }
    for (size_t l = 0; i < a_at.size(); ++i, ++l) {
      sums[l] += static_cast<double>(a[a_at[i]]) * b[b_at[i]];
    }
  }

  const Term& term_;
  std::vector<std::vector<int64_t>> a_, b_;
  bool dense_ = false;
};

double SelfProduct(Term term, const float* data) {
  term.a = term.b = data;
  const BlockProduct product(term, nullptr);
  return product.Sum(0, product.rows());
}

double BlockWeight(const Term& term) {
  return std::sqrt(SelfProduct(term, term.a) * SelfProduct(term, term.b));
}

Moments MeasurePair(const TensorPair& pair, ThreadPool& pool) {
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
  return sum;
}

void Note(const Moments& moments, TensorPair& pair) {
  pair.norm_a = std::sqrt(moments.aa);
  pair.norm_b = std::sqrt(moments.bb);
  pair.dot = moments.ab;
}

}  // namespace

Problem::Problem(const Checkpoint& a, const Checkpoint& b,
                 std::shared_ptr<const Symmetry> symmetry, ThreadPool& pool)
    : symmetry_(std::move(symmetry)), a_(a), b_(b) {
  for (const TensorSymmetry& tensor : symmetry_->tensors()) {
    if (Counts(tensor)) AddTensor(tensor);
  }
  MeasureTensors(pool);
  for (size_t t = 0; t < tensors_.size(); ++t) AddTerms(static_cast<int>(t));
  IndexTrees();
  CheckCosts();
}

// A list is counted once, with its first tensor.
bool Problem::Counts(const TensorSymmetry& tensor) const {
  const Tensor& in_a = *a_.Find(tensor.name);
  if (tensor.statistic || in_a.size() == 0) return false;
  if (!tensor.in_list()) return IsArithmetic(in_a.dtype);
  const std::vector<int>& list = symmetry_->lists().at(tensor.member.list);
  return tensor.member.index == 0 &&
         std::all_of(list.begin(), list.end(), [&](int index) {
           const std::string& name = symmetry_->tensors()[index].name;
           return IsArithmetic(a_.Find(name)->dtype);
         });
}

void Problem::AddTensor(const TensorSymmetry& tensor) {
  TensorPair pair;
  pair.name = tensor.name;
  pair.symmetry = &tensor;
  pair.members = {tensor.name};
  if (tensor.in_list()) {
    AddList(tensor, pair);
  } else {
    pair.a = Hold(*a_.Find(tensor.name));
    pair.b = Hold(*b_.Find(tensor.name));
  }
  tensors_.push_back(std::move(pair));
}

void Problem::AddList(const TensorSymmetry& tensor, TensorPair& pair) {
  pair.name = tensor.member.list;
  pair.symmetry = &stacks_.emplace_back(Stacked(tensor, symmetry_->groups()));
  pair.members.clear();
  for (int index : symmetry_->lists().at(tensor.member.list)) {
    pair.members.push_back(symmetry_->tensors()[index].name);
  }
  const auto size = static_cast<size_t>(pair.symmetry->elements());
  pair.a = pair.copied_a = converted_.emplace_back(size);
  pair.b = pair.copied_b = converted_.emplace_back(size);
  CopyList(a_, pair.members, pair.copied_a);
  CopyList(b_, pair.members, pair.copied_b);
}

void Problem::CopyList(const Checkpoint& model,
                       const std::vector<std::string>& members,
                       std::span<float> copy) const {
  const size_t size = copy.size() / members.size();
  for (size_t m = 0; m < members.size(); ++m) {
    ReadFloats(*model.Find(members[m]), 0, copy.subspan(m * size, size));
  }
}

std::span<const float> Problem::Hold(const Tensor& tensor) {
  const std::span<const float> in_place = FloatsInPlace(tensor);
  if (!in_place.empty()) return in_place;
  auto& values = converted_.emplace_back(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return values;
}

// One streaming pass over both models. It also checks that all values are
// finite: a NaN or infinity makes the sum of squares not finite.
void Problem::MeasureTensors(ThreadPool& pool) {
  for (TensorPair& pair : tensors_) {
    const Moments sum = MeasurePair(pair, pool);
    if (!std::isfinite(sum.aa)) FailNonFinite(pair, a_, "A");
    if (!std::isfinite(sum.bb)) FailNonFinite(pair, b_, "B");
    Note(sum, pair);
  }
}

bool Problem::Remeasure(int tree, ThreadPool& pool) {
  double weight = 0;
  int last = -1;  // the blocks of a tensor follow each other
  for (const Occurrence& occurrence : occurrences_[tree]) {
    Term& term = terms_[occurrence.term];
    TensorPair& pair = tensors_[term.tensor];
    if (term.tensor != last && !pair.copied_a.empty()) {
      CopyList(a_, pair.members, pair.copied_a);
      CopyList(b_, pair.members, pair.copied_b);
    }
    if (term.tensor != last) Note(MeasurePair(pair, pool), pair);
    last = term.tensor;
    Weigh(term);
    weight += term.weight;
  }
  return weight < kMaxCost;
}

void Problem::CheckCosts() const {
  for (const std::vector<Occurrence>& tree : occurrences_) {
    double sum = 0;
    const Term* heaviest = nullptr;
    for (const Occurrence& occurrence : tree) {
      const Term& term = terms_[occurrence.term];
      sum += term.weight;
      if (!heaviest || term.weight > heaviest->weight) heaviest = &term;
    }
    if (sum >= kMaxCost) FailLarge(tensors_[heaviest->tensor]);
  }
}

void Problem::AddTerms(int tensor) {
  const TensorPair& pair = tensors_[tensor];
  std::vector<Block> blocks = TensorBlocks(*symmetry_, *pair.symmetry);
  for (Block& block : blocks) {
    Term term{.tensor = tensor,
              .a = pair.a.data() + block.offset,
              .b = pair.b.data() + block.offset,
              .block = std::move(block)};
    Weigh(term);
    terms_.push_back(std::move(term));
  }
}

void Problem::Weigh(Term& term) const {
  const TensorPair& pair = tensors_[term.tensor];
  const bool whole = term.block.size() == static_cast<int64_t>(pair.a.size());
  term.weight = whole ? pair.norm_a * pair.norm_b : BlockWeight(term);
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
  const BlockProduct product(term, &alignment);
  return product.Sum(0, product.rows());
}

std::vector<double> Problem::TermValues(const Alignment& alignment,
                                        ThreadPool& pool) const {
  struct Piece {
    size_t term;
    int64_t begin, end;
  };
  std::vector<BlockProduct> products;
  std::vector<Piece> pieces;
  products.reserve(terms_.size());
  for (size_t t = 0; t < terms_.size(); ++t) {
    const BlockProduct& product = products.emplace_back(terms_[t], &alignment);
    const int64_t step =
        std::max<int64_t>(1, kPiece / std::max<int64_t>(1, product.row_size()));
    for (int64_t r = 0; r < product.rows(); r += step) {
      pieces.push_back({t, r, std::min(product.rows(), r + step)});
    }
  }
  std::vector<double> sums(pieces.size());
  pool.For(static_cast<int64_t>(pieces.size()), [&](int64_t p) {
    sums[p] = products[pieces[p].term].Sum(pieces[p].begin, pieces[p].end);
  });
  std::vector<double> values(terms_.size(), 0.0);
  for (size_t p = 0; p < pieces.size(); ++p) values[pieces[p].term] += sums[p];
  return values;
}

double Problem::Value(const Alignment& alignment, ThreadPool& pool) const {
  const std::vector<double> values = TermValues(alignment, pool);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace rebasin
