#include "match/many/model_sum.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "tensor/inner_product.h"

namespace rebasin {
namespace {

constexpr size_t kPiece = size_t{1} << 16;

std::vector<TensorPiece> Pieces(
    const Checkpoint& model,
    const std::function<bool(const Tensor&)>& is_wanted) {
  std::vector<TensorPiece> pieces;
  for (size_t t = 0; t < model.tensors().size(); ++t) {
    const Tensor& tensor = model.tensors()[t];
    if (tensor.dtype != DType::kF32 || !is_wanted(tensor)) continue;
    const auto size = static_cast<size_t>(tensor.size());
    for (size_t begin = 0; begin < size; begin += kPiece) {
      pieces.push_back({t, begin, std::min(kPiece, size - begin)});
    }
  }
  return pieces;
}

// Partial sums of each piece, added in order.
double SumOver(const std::vector<TensorPiece>& pieces, ThreadPool& pool,
               const std::function<double(const TensorPiece&)>& value) {
  std::vector<double> values(pieces.size());
  pool.For(static_cast<int64_t>(pieces.size()),
           [&](int64_t p) { values[p] = value(pieces[p]); });
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::vector<TensorPiece> FloatPieces(const Checkpoint& model) {
  return Pieces(model, [](const Tensor&) { return true; });
}

std::vector<TensorPiece> MatchedPieces(const Checkpoint& model,
                                       const Symmetry& symmetry) {
  return Pieces(model, [&](const Tensor& tensor) {
    const TensorSymmetry* described = symmetry.Find(tensor.name);
    return described != nullptr && !described->statistic;
  });
}

std::span<const float> Values(const Checkpoint& model,
                              const TensorPiece& piece) {
  return FloatsInPlace(model.tensors()[piece.tensor])
      .subspan(piece.begin, piece.count);
}

double SquaredNorm(const Checkpoint& model,
                   const std::vector<TensorPiece>& pieces, ThreadPool& pool) {
  return SumOver(pieces, pool, [&](const TensorPiece& piece) {
    const auto values = Values(model, piece);
    return Measure(values, values).aa;
  });
}

ModelSum::ModelSum(const Checkpoint& like, const Symmetry& symmetry,
                   ThreadPool& pool)
    : pool_(pool),
      pieces_(FloatPieces(like)),
      matched_(MatchedPieces(like, symmetry)) {
  for (const Tensor& tensor : like.tensors()) {
    const bool counts = tensor.dtype == DType::kF32;
    const auto size = counts ? static_cast<size_t>(tensor.size()) : 0;
    sums_.emplace_back(size, 0.0);
    rest_.push_back(std::make_shared<std::vector<float>>(size));
  }
}

void ModelSum::Clear() {
  for (auto& sum : sums_) std::fill(sum.begin(), sum.end(), 0.0);
}

void ModelSum::Add(const Checkpoint& model, double factor) {
  pool_.For(static_cast<int64_t>(pieces_.size()), [&](int64_t p) {
    const auto values = Values(model, pieces_[p]);
    double* sum = sums_[pieces_[p].tensor].data() + pieces_[p].begin;
    for (size_t i = 0; i < values.size(); ++i) {
      sum[i] += factor * static_cast<double>(values[i]);
    }
  });
}

const Checkpoint& ModelSum::Without(const Checkpoint& model, double factor) {
  pool_.For(static_cast<int64_t>(pieces_.size()), [&](int64_t p) {
    const auto values = Values(model, pieces_[p]);
    const double* sum = sums_[pieces_[p].tensor].data() + pieces_[p].begin;
    float* out = rest_[pieces_[p].tensor]->data() + pieces_[p].begin;
    for (size_t i = 0; i < values.size(); ++i) {
      out[i] = static_cast<float>(factor *
                                  (sum[i] - static_cast<double>(values[i])));
    }
  });
  std::vector<Tensor> tensors = model.tensors();
  for (size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].dtype != DType::kF32) continue;
    tensors[t].bytes = std::as_bytes(std::span<const float>(*rest_[t]));
    tensors[t].owner = rest_[t];
  }
  without_ = Checkpoint(std::move(tensors), model.metadata());
  return without_;
}

double ModelSum::SquaredNorm() const {
  return SumOver(matched_, pool_, [&](const TensorPiece& piece) {
    const double* sum = sums_[piece.tensor].data() + piece.begin;
    return std::inner_product(sum, sum + piece.count, sum, 0.0);
  });
}

}  // namespace rebasin
