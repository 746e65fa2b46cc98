#include "verify/visibility.h"

#include <algorithm>
#include <string>

#include "base/parallel.h"
#include "base/random.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

std::vector<std::string> TensorsOf(const Symmetry& symmetry, int group) {
  std::vector<std::string> names;
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    if (tensor.Groups().contains(group)) names.push_back(tensor.name);
  }
  return names;
}

std::vector<std::string> In(const std::set<std::string>& set,
                            const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (set.contains(name)) found.push_back(name);
  }
  return found;
}

// Multiplies the elements in which `array` and `moved` differ by random
// factors.
Array Disturbed(const Array& array, const Array& moved, uint64_t seed) {
  Random random(seed);
  std::vector<double> values = array.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == moved.values()[i]) continue;
    values[i] *= 1.1 + 0.5 * random.Uniform();
  }
  return MakeArray(array.kind, array.shape, std::move(values));
}

class Visibility {
 public:
  Visibility(const Trial& trial, const Checkpoint& weights,
             std::shared_ptr<const Symmetry> symmetry,
             const std::set<std::string>& late, double threshold, uint64_t seed)
      : trial_(trial),
        source_(WeightsOf(weights)),
        weights_(weights),
        symmetry_(std::move(symmetry)),
        late_(late),
        threshold_(threshold),
        seed_(seed),
        before_(trial.Run(source_)) {}

  bool Sees(int group) const {
    const std::vector<std::string> tensors = TensorsOf(*symmetry_, group);
    const Checkpoint moved =
        Permute(weights_, Rotation(symmetry_, {group}), Run{.threads = 1});
    const std::vector<std::string> late = In(late_, tensors);
    for (const std::string& name : late.empty() ? tensors : late) {
      if (tensors.size() > 1 && SeesChange(name, WeightsOf(moved))) return true;
    }
    return tensors.size() == 1 &&
           SeesChange(tensors[0], [&](const Value& weight) {
             return Disturbed(source_(weight), WeightsOf(moved)(weight), seed_);
           });
  }

 private:
  // Whether the outputs change if one weight comes from `other`. They also
  // count as changed if the run fails because an index is out of range.
  bool SeesChange(const std::string& name, const WeightSource& other) const {
    try {
      const auto after = trial_.Run([&](const Value& weight) {
        return weight.name == name ? other(weight) : source_(weight);
      });
      return LargestRelative(trial_.Compare(before_, after)) > threshold_;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBadInput) throw;
      return true;
    }
  }

  const Trial& trial_;
  WeightSource source_;
  const Checkpoint& weights_;
  std::shared_ptr<const Symmetry> symmetry_;
  const std::set<std::string>& late_;
  double threshold_;
  uint64_t seed_;
  std::vector<Array> before_;
};

}  // namespace

Alignment Rotation(const std::shared_ptr<const Symmetry>& symmetry,
                   const std::vector<int>& groups) {
  Alignment rotation(symmetry);
  for (int group : groups) {
    for (int64_t copy = 0; copy < symmetry->Copies(group); ++copy) {
      auto units = rotation.mutable_permutation(group, copy);
      std::rotate(units.begin(), units.begin() + 1, units.end());
    }
  }
  return rotation;
}

std::vector<int> FindUnseen(const Trial& trial, const Checkpoint& weights,
                            const std::shared_ptr<const Symmetry>& symmetry,
                            const std::vector<int>& groups,
                            const std::set<std::string>& late, double threshold,
                            uint64_t seed, int threads) {
  if (groups.empty()) return {};
  const Visibility visibility(trial, weights, symmetry, late, threshold, seed);
  std::vector<char> seen(groups.size(), 0);
  ThreadPool pool(threads);
  pool.For(static_cast<int64_t>(groups.size()),
           [&](int64_t i) { seen[i] = visibility.Sees(groups[i]); });
  std::vector<int> unseen;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!seen[i]) unseen.push_back(groups[i]);
  }
  return unseen;
}

}  // namespace rebasin
