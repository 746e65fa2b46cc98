#include "match/problem.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>

#include "io/mapped_pages.h"
#include "rebasin/error.h"
#include "symmetry/lists.h"
#include "tensor/bfloat16_range.h"
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

// Copies the tensors of a list one after another.
void CopyList(const Checkpoint& model, const std::vector<std::string>& members,
              DType dtype, std::span<std::byte> copy) {
  const size_t size = copy.size() / members.size();
  for (size_t m = 0; m < members.size(); ++m) {
    const Tensor& tensor = *model.Find(members[m]);
    std::byte* to = copy.data() + m * size;
    if (tensor.dtype == dtype) {
      std::copy(tensor.bytes.begin(), tensor.bytes.end(), to);
    } else {
      ReadFloats(tensor, 0,
                 {reinterpret_cast<float*>(to), size / sizeof(float)});
    }
  }
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
        AddSlots(1, a_[0][i], b_[0][i], sums);
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

  // `a` and `b` are offsets of what is fixed so far.
  void AddSlots(size_t slot, int64_t a, int64_t b, ProductSums& sums) const {
    if (slot == a_.size()) {
      sums[0] += static_cast<double>(term_.a[a]) * term_.b[b];
    } else if (dense_ && slot + 2 == a_.size()) {
      AddRuns(term_.a + a, term_.b + b, a_[slot], b_[slot], sums);
    } else if (slot + 1 < a_.size()) {
      for (size_t i = 0; i < a_[slot].size(); ++i) {
        AddSlots(slot + 1, a + a_[slot][i], b + b_[slot][i], sums);
      }
    } else {
      (term_.a + a).Visit([&](const auto* from_a) {
        (term_.b + b).Visit([&](const auto* from_b) {
          AddGathered(from_a, from_b, a_[slot], b_[slot], sums);
        });
      });
    }
  }

  // Adds the products of the last slot, which is contiguous, at each of these
  // offsets.
  void AddRuns(const Elements& a, const Elements& b,
               std::span<const int64_t> a_at, std::span<const int64_t> b_at,
               ProductSums& sums) const {
    AddProducts({.a = a + a_.back()[0],
                 .b = b + b_.back()[0],
                 .a_at = a_at,
                 .b_at = b_at,
                 .length = a_.back().size()},
                sums);
  }

  template <typename A, typename B>
  static void AddGathered(const A* a, const B* b, std::span<const int64_t> a_at,
                          std::span<const int64_t> b_at, ProductSums& sums) {
    // Independent sums, because a single sum would wait for each addition.
    constexpr size_t kLanes = 8;
    const auto product = [&](size_t i) {
      return static_cast<double>(AsFloat(a[a_at[i]])) * AsFloat(b[b_at[i]]);
    };
    size_t i = 0;
    for (; i + kLanes <= a_at.size(); i += kLanes) {
      for (size_t l = 0; l < kLanes; ++l) sums[l] += product(i + l);
    }
    for (size_t l = 0; i < a_at.size(); ++i, ++l) sums[l] += product(i);
  }

  const Term& term_;
  std::vector<std::vector<int64_t>> a_, b_;
  bool dense_ = false;
};

double SelfProduct(Term term, const Elements& data) {
  term.a = term.b = data;
  const BlockProduct product(term, nullptr);
  return product.Sum(0, product.rows());
}

double BlockWeight(const Term& term) {
  return std::sqrt(SelfProduct(term, term.a) * SelfProduct(term, term.b));
}

// What one pass over a tensor of both models finds.
struct Measured {
  Moments moments;
  int exponent_a = 255, exponent_b = 255;  // see SmallestExponent

  void operator+=(const Measured& other) {
    moments += other.moments;
    exponent_a = std::min(exponent_a, other.exponent_a);
    exponent_b = std::min(exponent_b, other.exponent_b);
  }
};

bool AreBFloat16(const TensorPair& pair) {
  return pair.a.dtype == DType::kBF16 && pair.b.dtype == DType::kBF16;
}

Measured MeasurePiece(const TensorPair& pair, int64_t begin, size_t count) {
  const Elements a = pair.a + begin, b = pair.b + begin;
  Measured found{.moments = Measure(a, b, count)};
  if (AreBFloat16(pair)) {
    const auto exponent = [&](const Elements& values) {
      return SmallestExponent(reinterpret_cast<const BF16*>(values.data),
                              count);
    };
    found.exponent_a = exponent(a);
    found.exponent_b = exponent(b);
  }
  return found;
}

Measured MeasurePair(const TensorPair& pair, ThreadPool& pool) {
  std::vector<Measured> pieces((pair.size + kPiece - 1) / kPiece);
  pool.For(static_cast<int64_t>(pieces.size()), [&](int64_t p) {
    const int64_t begin = p * kPiece;
    pieces[p] = MeasurePiece(
        pair, begin, static_cast<size_t>(std::min(kPiece, pair.size - begin)));
  });
  Measured sum;
  for (const Measured& piece : pieces) sum += piece;
  return sum;
}

void Note(const Measured& measured, TensorPair& pair) {
  pair.norm_a = std::sqrt(measured.moments.aa);
  pair.norm_b = std::sqrt(measured.moments.bb);
  pair.dot = measured.moments.ab;
  const bool normal =
      AreBFloat16(pair) &&
      BFloat16ProductsAreNormal(measured.exponent_a, measured.exponent_b);
  pair.operands = normal ? GemmOperands::kBFloat16 : GemmOperands::kExact;
}

// If both fit well into memory, giving pages back would only take time.
bool AreLarge(const Checkpoint& a, const Checkpoint& b) {
  const int64_t memory = PhysicalMemory();
  return memory > 0 && a.bytes() + b.bytes() > memory / 2;
}

template <typename Advise>
void ForBytes(const TensorPair& pair, const Advise& advise) {
  for (const Elements& values : {pair.a, pair.b}) {
    advise({values.data, static_cast<size_t>(pair.size * values.item())});
  }
}

}  // namespace

std::vector<float> TensorPair::FloatsOfB() const {
  std::vector<float> floats(static_cast<size_t>(size));
  b.Visit([&](const auto* from) {
    std::transform(from, from + size, floats.begin(),
                   [](auto value) { return AsFloat(value); });
  });
  return floats;
}

Problem::Problem(const Checkpoint& a, const Checkpoint& b,
                 std::shared_ptr<const Symmetry> symmetry, ThreadPool& pool,
                 Paging paging)
    : symmetry_(std::move(symmetry)),
      a_(a),
      b_(b),
      releases_pages_(paging == Paging::kAlways || AreLarge(a, b)) {
  AddTensors();
  MeasureTensors(pool);
  for (size_t t = 0; t < tensors_.size(); ++t) AddTerms(static_cast<int>(t));
  IndexTrees();
  CheckCosts();
}

Problem Problem::OfShapes(const Checkpoint& like,
                          std::shared_ptr<const Symmetry> symmetry) {
  return {like, std::move(symmetry)};
}

Problem::Problem(const Checkpoint& like,
                 std::shared_ptr<const Symmetry> symmetry)
    : symmetry_(std::move(symmetry)), a_(like), b_(like), has_values_(false) {
  AddTensors();
  for (size_t t = 0; t < tensors_.size(); ++t) AddTerms(static_cast<int>(t));
  IndexTrees();
}

void Problem::AddTensors() {
  for (const TensorSymmetry& tensor : symmetry_->tensors()) {
    if (Counts(tensor)) AddTensor(tensor);
  }
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
    pair.size = a_.Find(tensor.name)->size();
    if (has_values_) {
      pair.a = Hold(*a_.Find(tensor.name));
      pair.b = Hold(*b_.Find(tensor.name));
    }
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
  pair.size = pair.symmetry->elements();
  if (!has_values_) return;
  pair.a = HoldList(a_, pair, &pair.copied_a);
  pair.b = HoldList(b_, pair, &pair.copied_b);
}

// In the tensors' own type if they have the same.
Elements Problem::HoldList(const Checkpoint& model, const TensorPair& pair,
                           std::span<std::byte>* copy) {
  DType dtype = model.Find(pair.members[0])->dtype;
  for (const std::string& member : pair.members) {
    if (model.Find(member)->dtype != dtype) dtype = DType::kF32;
  }
  const int64_t bytes = pair.size * DTypeBits(dtype) / 8;
  *copy = copies_.emplace_back(static_cast<size_t>(bytes));
  CopyList(model, pair.members, dtype, *copy);
  return {copy->data(), dtype};
}

Elements Problem::Hold(const Tensor& tensor) {
  const Elements in_place = ElementsInPlace(tensor);
  if (in_place.data != nullptr) return in_place;
  const auto& copy =
      copies_.emplace_back(tensor.bytes.begin(), tensor.bytes.end());
  return {copy.data(), tensor.dtype};
}

// One streaming pass over both models. It also checks that all values are
// finite: a NaN or infinity makes the sum of squares not finite.
void Problem::MeasureTensors(ThreadPool& pool) {
  for (TensorPair& pair : tensors_) {
    const Measured sum = MeasurePair(pair, pool);
    if (!std::isfinite(sum.moments.aa)) FailNonFinite(pair, a_, "A");
    if (!std::isfinite(sum.moments.bb)) FailNonFinite(pair, b_, "B");
    Note(sum, pair);
    if (releases_pages_) ForBytes(pair, ReleasePages);
  }
}

void Problem::Expect(const Term& term) const {
  if (releases_pages_) ForBytes(tensors_[term.tensor], ReadAhead);
}

void Problem::Leave(const Term& term) const {
  if (releases_pages_) ForBytes(tensors_[term.tensor], ReleasePages);
}

bool Problem::Remeasure(int tree, ThreadPool& pool) {
  double weight = 0;
  int last = -1;  // the blocks of a tensor follow each other
  for (const Occurrence& occurrence : occurrences_[tree]) {
    Term& term = terms_[occurrence.term];
    TensorPair& pair = tensors_[term.tensor];
    if (term.tensor != last && !pair.copied_a.empty()) {
      CopyList(a_, pair.members, pair.a.dtype, pair.copied_a);
      CopyList(b_, pair.members, pair.b.dtype, pair.copied_b);
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
    Term& term = terms_.emplace_back();
    term.tensor = tensor;
    if (has_values_) {
      term.a = pair.a + block.offset;
      term.b = pair.b + block.offset;
    }
    term.block = std::move(block);
    if (has_values_) Weigh(term);
  }
}

void Problem::Weigh(Term& term) const {
  const TensorPair& pair = tensors_[term.tensor];
  const bool whole = term.block.size() == pair.size;
  term.weight = whole ? pair.norm_a * pair.norm_b : BlockWeight(term);
  term.operands = pair.operands;
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
  std::vector<std::atomic<int64_t>> left(terms_.size());
  for (const Piece& piece : pieces) ++left[piece.term];
  pool.For(static_cast<int64_t>(pieces.size()), [&](int64_t p) {
    const size_t term = pieces[p].term;
    sums[p] = products[term].Sum(pieces[p].begin, pieces[p].end);
    if (--left[term] == 0) Leave(terms_[term]);
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
