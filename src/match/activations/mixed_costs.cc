#include <algorithm>
#include <cmath>
#include <string>

#include "match/activations/group_costs.h"

namespace rebasin {
namespace {

// Adds given costs to a weight matching problem. The costs C of a group are
// those of a tensor of A with values C and a tensor of B with the identity
// matrix, both with the group on the first axis, so the matcher needs no
// special case.
class SyntheticTensors {
 public:
  SyntheticTensors(const Checkpoint& a, const Checkpoint& b,
                   const Symmetry& symmetry)
      : a_(a.tensors()), b_(b.tensors()), described_(symmetry.tensors()) {}

  void Add(const CostPart& part, double factor) {
    const int64_t n = part.n();
    const std::string name =
        "activations/" + std::to_string(part.slot.root) + "/" +
        std::to_string(described_.size());  // a unique name
    TensorSymmetry tensor{.name = name, .axes = {}};
    Segment units;
    for (const Dim& dim : part.slot.dims)
      units.push_back({dim.group, dim.size});
    tensor.axes = {Axis{{units}}, Axis{{{Factor{kNoGroup, n}}}}};
    described_.push_back(std::move(tensor));
    std::vector<float> costs = part.gram, unit(n * n, 0.0f);
    for (float& cost : costs) cost = static_cast<float>(cost * factor);
    for (int64_t i = 0; i < n; ++i) unit[i * n + i] = 1;
    a_.push_back(MakeTensor(name, {n, n}, costs));
    b_.push_back(MakeTensor(name, {n, n}, unit));
  }

  Alignment Match(const Symmetry& symmetry, const MatchOptions& options,
                  const Run& run) {
    const auto both =
        std::make_shared<const Symmetry>(symmetry.groups(), described_);
    return MatchWeights(Checkpoint(a_), Checkpoint(b_), both, options, run)
        .alignment;
  }

 private:
  std::vector<Tensor> a_, b_;
  std::vector<TensorSymmetry> described_;
};

double MostWeights(const Checkpoint& a, const Checkpoint& b,
                   const Alignment& alignment, const Run& run) {
  double most = 0;
  for (const TensorMatch& tensor :
       DescribeAlignment(a, b, alignment, run).tensors) {
    most += tensor.norm_a * tensor.norm_b;
  }
  return most;
}

// An upper bound: no unit can be worth more than its best match.
double MostOf(const CostPart& part) {
  double most = 0;
  for (int64_t i = 0; i < part.n(); ++i) {
    const auto row = part.gram.begin() + i * part.n();
    most += std::abs(*std::max_element(row, row + part.n()));
  }
  return most;
}

}  // namespace

Alignment MatchMixed(const std::shared_ptr<const Symmetry>& symmetry,
                     std::span<const CostPart> costs, double share,
                     const Checkpoint& a, const Checkpoint& b,
                     const MatchOptions& options, const Run& run) {
  double most = 0;
  for (const CostPart& part : costs) most += MostOf(part);
  SyntheticTensors synthetic(a, b, *symmetry);
  const double weights = MostWeights(a, b, Alignment(symmetry), run);
  const double factor = most > 0 ? (1 - share) / share * weights / most : 0;
  for (const CostPart& part : costs) synthetic.Add(part, factor);
  return synthetic.Match(*symmetry, options, run).WithSymmetry(symmetry);
}

}  // namespace rebasin
