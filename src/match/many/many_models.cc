#include "match/many/many_models.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "match/many/model_sum.h"
#include "match/scaled/balance.h"
#include "rebasin/error.h"
#include "tensor/non_finite.h"

namespace rebasin {
namespace {

Tensor AsFloat(const Tensor& tensor) {
  if (!IsArithmetic(tensor.dtype)) return tensor;
  if (!FloatsInPlace(tensor).empty()) return tensor;
  std::vector<float> values(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return MakeTensor(tensor.name, tensor.shape, values);
}

Checkpoint AsFloats(const Checkpoint& model, const Symmetry& symmetry,
                    bool whole) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    const bool described = symmetry.Find(tensor.name) != nullptr;
    if (described || whole) tensors.push_back(AsFloat(tensor));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

// A NaN or infinity makes the sum of squares not finite. `original` has the
// values before conversion to float.
void CheckFinite(const ManyModels& many, size_t m, const Checkpoint& original,
                 ThreadPool& pool) {
  const Checkpoint& model = many.models[m];
  const auto pieces = MatchedPieces(model, *many.symmetry);
  if (std::isfinite(SquaredNorm(model, pieces, pool))) return;
  for (const TensorPiece& piece : pieces) {
    const std::string& name = model.tensors()[piece.tensor].name;
    const std::string why = WhyNotFloat(*original.Find(name));
    if (why.empty()) continue;
    throw Error(ErrorCode::kBadInput,
                "model " + std::to_string(m + 1) + ", tensor " + Quoted(name) +
                    ": " + why,
                "such a model cannot be matched");
  }
}

// Uses several sums in a fixed order.
double SquaredDistance(std::span<const float> a, std::span<const float> b) {
  constexpr size_t kLanes = 16;
  double lanes[kLanes] = {};
  const size_t whole = a.size() / kLanes * kLanes;
  const auto add = [&](size_t lane, size_t i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    lanes[lane] += difference * difference;
  };
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) add(l, i + l);
  }
  for (size_t i = whole; i < a.size(); ++i) add(i - whole, i);
  return std::accumulate(std::begin(lanes), std::end(lanes), 0.0);
}

// The squared distance of each pair over one piece.
std::vector<double> SquaredDistances(const ManyModels& many,
                                     const TensorPiece& piece) {
  const size_t n = many.size();
  std::vector<double> squares(n * n, 0.0);
  for (size_t x = 0; x < n; ++x) {
    const std::span<const float> a = Values(many.models[x], piece);
    for (size_t y = 0; y < x; ++y) {
      squares[x * n + y] = SquaredDistance(a, Values(many.models[y], piece));
    }
  }
  return squares;
}

// Smaller pieces, so that those of many models stay in the cache while all
// pairs are compared.
std::vector<TensorPiece> Cut(const std::vector<TensorPiece>& pieces) {
  constexpr size_t kPiece = size_t{1} << 12;
  std::vector<TensorPiece> cut;
  for (const TensorPiece& piece : pieces) {
    for (size_t i = 0; i < piece.count; i += kPiece) {
      cut.push_back(
          {piece.tensor, piece.begin + i, std::min(kPiece, piece.count - i)});
    }
  }
  return cut;
}

}  // namespace

ManyModels PrepareMany(std::span<const Checkpoint> models,
                       std::shared_ptr<const Symmetry> symmetry, bool whole,
                       ThreadPool& pool) {
  if (models.size() < 2) {
    throw Error(ErrorCode::kUsage, "a merge needs at least two models");
  }
  ManyModels many{.symmetry = std::move(symmetry), .models = {}};
  for (const Checkpoint& model : models) {
    CheckSameStructure(models[0], model);
    many.symmetry->CheckFits(model, {.allow_uncovered = true});
    many.models.push_back(AsFloats(model, *many.symmetry, whole));
    CheckFinite(many, many.size() - 1, model, pool);
  }
  return many;
}

ManyModels BalancedMany(const ManyModels& models, ThreadPool& pool) {
  ManyModels balanced{.symmetry = models.symmetry, .models = {}};
  for (const Checkpoint& model : models.models) {
    const Checkpoint rescaled = Balanced(model, *models.symmetry, pool);
    std::vector<Tensor> tensors = model.tensors();
    for (Tensor& tensor : tensors) {
      const Tensor* found = rescaled.Find(tensor.name);
      if (found != nullptr) tensor = *found;
    }
    balanced.models.emplace_back(std::move(tensors), model.metadata());
  }
  return balanced;
}

std::vector<double> PairDistances(const ManyModels& models, ThreadPool& pool) {
  const size_t n = models.size();
  const auto pieces = Cut(MatchedPieces(models.models[0], *models.symmetry));
  std::vector<std::vector<double>> squares(pieces.size());
  pool.For(static_cast<int64_t>(pieces.size()), [&](int64_t p) {
    squares[p] = SquaredDistances(models, pieces[p]);
  });
  std::vector<double> distances(n * n, 0.0);
  for (const auto& piece : squares) {
    for (size_t i = 0; i < distances.size(); ++i) distances[i] += piece[i];
  }
  for (size_t x = 0; x < n; ++x) {
    for (size_t y = 0; y < x; ++y) {
      distances[x * n + y] = std::sqrt(distances[x * n + y]);
      distances[y * n + x] = distances[x * n + y];
    }
  }
  return distances;
}

ManyModels Permuted(const ManyModels& models,
                    std::span<const Alignment> alignments, const Run& run) {
  ManyModels permuted{.symmetry = models.symmetry, .models = {}};
  for (size_t m = 0; m < models.size(); ++m) {
    permuted.models.push_back(Permute(models.models[m], alignments[m], run));
  }
  return permuted;
}

}  // namespace rebasin
