#include "rebasin/symmetry.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "base/checked.h"
#include "rebasin/error.h"
#include "symmetry/coverage.h"
#include "symmetry/layout.h"
#include "symmetry/lists.h"
#include "symmetry/names.h"
#include "symmetry/scaling.h"

namespace rebasin {
namespace {

constexpr size_t kMaxGroups = 1'000'000;
constexpr size_t kMaxAxes = 16;
// Limit of the factors of a tensor. Sizes of 2 or more would overflow first;
// factors of size 1 would not.
constexpr size_t kMaxFactorsOfTensor = 64;
// Limit of the factors of all blocks of all tensors, which is the cost of
// processing a spec.
constexpr int64_t kMaxPlaces = int64_t{1} << 22;
// Limit of the units of all groups with their copies. An alignment stores a
// number for each unit before any model has been read. Models of 10^12
// parameters have about 2^25.
constexpr int64_t kMaxUnits = int64_t{1} << 26;

[[noreturn]] void Fail(const std::string& what) {
  throw Error(ErrorCode::kBadInput, what);
}

void CheckGroupNames(const std::vector<Group>& groups) {
  std::unordered_set<std::string_view> seen;
  for (const Group& group : groups) {
    if (!IsGroupName(group.name)) {
      Fail(
          "group name " + Quoted(group.name) +
          " must start with a letter and consist of letters, digits and _./:-");
    }
    if (!seen.insert(group.name).second) {
      Fail("group " + Quoted(group.name) + " is declared twice");
    }
  }
}

void CheckGroupSizes(const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    if (group.size >= 0) continue;
    Fail("group " + Quoted(group.name) + " has size " +
         std::to_string(group.size) + ", expected 0 or more");
  }
}

// Checks the number of units of a group, or of all groups up to `group`.
int64_t CheckUnits(std::optional<int64_t> units, const Group& group) {
  if (units && *units <= kMaxUnits) return *units;
  throw Error(ErrorCode::kLimit,
              "the groups up to " + Quoted(group.name) + " have more than " +
                  std::to_string(kMaxUnits) + " units in all");
}

// Following parents from any group must end within as many steps as there are
// groups. The copies of all permutations together must fit in memory.
void CheckTrees(const std::vector<Group>& groups) {
  const int count = static_cast<int>(groups.size());
  int64_t total = 0;
  for (const Group& group : groups) {
    int64_t elements = CheckUnits(group.size, group);
    int steps = 0;
    for (int p = group.parent; p != kNoGroup; p = groups[p].parent) {
      if (p < 0 || p >= count)
        Fail("group " + Quoted(group.name) +
             " lies within a group that does not exist");
      if (++steps > std::min(count, 64)) {
        Fail("group " + Quoted(group.name) +
             " lies within itself, or deeper than 64 levels");
      }
      elements = CheckUnits(CheckedMul(elements, groups[p].size), group);
    }
    total = CheckUnits(total + elements, group);
  }
}

// Limit for specs that are wrong, or made to take a long time.
constexpr size_t kMaxParts = 1024;

// The parts of a tensor may differ only in the size of one axis.
void CheckParts(const TensorSymmetry& tensor) {
  if (tensor.parts() == 1) return;
  const std::string name = "tensor " + Quoted(tensor.name);
  if (tensor.parts() > kMaxParts) {
    throw Error(ErrorCode::kLimit,
                name + " has " + std::to_string(tensor.parts()) +
                    " parts, at most " + std::to_string(kMaxParts) +
                    " are allowed");
  }
  if (tensor.along >= tensor.axes.size()) {
    Fail(name + ": has no axis " + std::to_string(tensor.along) +
         " to join parts along");
  }
  int64_t together = 0;
  for (size_t p = 0; p < tensor.parts(); ++p) {
    const std::vector<Axis>& part = tensor.part(p);
    if (part.size() != tensor.axes.size()) {
      Fail(name + ": part " + std::to_string(p) + " has " +
           std::to_string(part.size()) + " axes, the first " +
           std::to_string(tensor.axes.size()));
    }
    for (size_t a = 0; a < part.size(); ++a) {
      if (a == tensor.along || part[a].size() == tensor.axes[a].size()) {
        continue;
      }
      Fail(name + ": axis " + std::to_string(a) + " of part " +
           std::to_string(p) + " has size " + std::to_string(part[a].size()) +
           ", that of the first " + std::to_string(tensor.axes[a].size()));
    }
    const auto sum = CheckedAdd(together, part[tensor.along].size());
    if (!sum) Fail(name + ": its size overflows 63 bits");
    together = *sum;
  }
}

// An axis without elements is "0" or a group of size 0. In a product with other
// factors, such a factor would make other groups have units without elements.
void CheckFactors(const TensorSymmetry& tensor) {
  for (size_t p = 0; p < tensor.parts(); ++p) {
    for (size_t a = 0; a < tensor.axes.size(); ++a) {
      for (const Segment& segment : tensor.part(p)[a].segments) {
        const bool empty =
            std::any_of(segment.begin(), segment.end(),
                        [](const Factor& factor) { return factor.size == 0; });
        if (!empty || segment.size() == 1) continue;
        Fail("tensor " + Quoted(tensor.name) + " axis " + std::to_string(a) +
             ": a product has a factor of size 0; an axis without elements is "
             "written \"0\"");
      }
    }
  }
}

void CheckTensor(const TensorSymmetry& tensor) {
  CheckParts(tensor);
  CheckFactors(tensor);
  std::vector<int64_t> sizes;
  for (size_t a = 0; a < tensor.axes.size(); ++a) {
    sizes.push_back(tensor.size(a));
  }
  if (!CheckedProduct(sizes)) {
    Fail("tensor " + Quoted(tensor.name) + ": its size overflows 63 bits");
  }
  if (tensor.axes.size() <= kMaxAxes) return;
  throw Error(ErrorCode::kLimit, "tensor " + Quoted(tensor.name) + " has " +
                                     std::to_string(tensor.axes.size()) +
                                     " axes, at most 16 are allowed");
}

// An upper bound of the number of factors of a block.
size_t MostFactors(const std::vector<Axis>& axes) {
  size_t factors = 0;
  for (const Axis& axis : axes) {
    size_t longest = 0;
    for (const Segment& segment : axis.segments) {
      longest = std::max(longest, segment.size());
    }
    factors += longest;
  }
  return factors;
}

// Adds the cost of a part of the tensor to `places`.
void CountPlaces(const TensorSymmetry& tensor, const std::vector<Axis>& part,
                 int64_t& places) {
  const size_t factors = MostFactors(part);
  if (factors > kMaxFactorsOfTensor) {
    throw Error(ErrorCode::kLimit, "tensor " + Quoted(tensor.name) +
                                       ": its axes are products of " +
                                       std::to_string(factors) +
                                       " factors; the limit is " +
                                       std::to_string(kMaxFactorsOfTensor));
  }
  int64_t blocks = 1;
  for (const Axis& axis : part) {
    blocks = std::min(blocks * static_cast<int64_t>(axis.segments.size()),
                      kMaxPlaces);
  }
  places += blocks * static_cast<int64_t>(std::max<size_t>(factors, 1));
  if (places <= kMaxPlaces) return;
  throw Error(ErrorCode::kLimit,
              "up to tensor " + Quoted(tensor.name) +
                  " the spec has more than " + std::to_string(kMaxPlaces) +
                  " combinations of concatenated segments and their factors");
}

bool HasZeroSizedAxis(const TensorSymmetry& tensor) {
  return tensor.elements() == 0;
}

double Log10Factorial(int64_t n) {
  return std::lgamma(static_cast<double>(n) + 1) / std::log(10.0);
}

// Whether the outermost factor does not even divide the size. This is an error
// in the spec (a wrong number of heads) rather than a model of another size.
bool OuterSizeMismatches(const Axis& axis, int64_t size) {
  if (axis.segments.size() != 1 || axis.segments[0].size() < 2) return false;
  const int64_t outer = axis.segments[0][0].size;
  return outer > 0 && size % outer != 0;
}

void CheckShape(const TensorSymmetry& tensor, const Shape& shape,
                std::span<const Group> groups) {
  if (tensor.axes.size() != shape.size()) {
    throw Error(ErrorCode::kMismatch,
                "tensor " + Quoted(tensor.name) + ": the spec has " +
                    std::to_string(tensor.axes.size()) +
                    " axes, the checkpoint's shape is " + ShapeText(shape));
  }
  for (size_t a = 0; a < shape.size(); ++a) {
    const Axis& axis = tensor.axes[a];
    if (tensor.size(a) == shape[a]) continue;
    if (tensor.parts() > 1) {
      throw Error(ErrorCode::kMismatch,
                  "tensor " + Quoted(tensor.name) + " axis " +
                      std::to_string(a) + ": the spec's parts have size " +
                      std::to_string(tensor.size(a)) + ", the checkpoint has " +
                      std::to_string(shape[a]));
    }
    throw Error(OuterSizeMismatches(axis, shape[a]) ? ErrorCode::kBadInput
                                                    : ErrorCode::kMismatch,
                "tensor " + Quoted(tensor.name) + " axis " + std::to_string(a) +
                    ": the spec's " + Quoted(AxisText(axis, groups)) +
                    " has size " + std::to_string(axis.size()) +
                    ", the checkpoint has " + std::to_string(shape[a]));
  }
}

std::vector<std::string> Names(const std::vector<Tensor>& tensors) {
  std::vector<std::string> names;
  for (const Tensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

std::vector<Axis> FixedAxes(const Shape& shape) {
  std::vector<Axis> axes;
  for (int64_t size : shape) {
    axes.push_back({.segments = {{{.group = kNoGroup, .size = size}}}});
  }
  return axes;
}

void AddCopies(const Companion& companion, std::vector<ScalingPlace>& places) {
  for (size_t p = 0, count = places.size(); p < count; ++p) {
    if (places[p].tensor != companion.copy_of) continue;
    ScalingPlace copy = places[p];
    copy.tensor = companion.tensor;
    places.push_back(std::move(copy));
  }
}

// An alignment stores a number for each unit. Groups that occur in no tensor,
// or in empty ones only, could make it arbitrarily large.
void CheckUnits(const Symmetry& symmetry, const Checkpoint& checkpoint) {
  constexpr int64_t kAlways = int64_t{1} << 20;
  const int64_t most = checkpoint.bytes() + kAlways;
  int64_t units = 0;
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const Group& group = symmetry.groups()[g];
    units += group.size * symmetry.Copies(static_cast<int>(g));
    if (units / static_cast<int64_t>(kMaxAxes) <= most) continue;
    throw Error(ErrorCode::kLimit,
                "up to group " + Quoted(group.name) + " the spec has " +
                    std::to_string(units) +
                    " units, far more than the checkpoint has bytes");
  }
}

}  // namespace

Symmetry::Symmetry(std::vector<Group> groups,
                   std::vector<TensorSymmetry> tensors,
                   std::vector<Scaling> scalings)
    : groups_(std::move(groups)),
      tensors_(std::move(tensors)),
      scalings_(std::move(scalings)) {
  if (groups_.size() > kMaxGroups) {
    throw Error(ErrorCode::kLimit, "more than 1000000 groups");
  }
  CheckGroupNames(groups_);
  CheckGroupSizes(groups_);
  CheckTrees(groups_);
  std::sort(tensors_.begin(), tensors_.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (size_t t = 1; t < tensors_.size(); ++t) {
    if (tensors_[t].name == tensors_[t - 1].name) {
      Fail("tensor " + Quoted(tensors_[t].name) + " is described twice");
    }
  }
  lists_ = FindLists(groups_, tensors_);
  int64_t places = 0;
  for (const TensorSymmetry& tensor : tensors_) {
    CheckTensor(tensor.in_list() ? Stacked(tensor, groups_) : tensor);
    for (size_t p = 0; p < tensor.parts(); ++p) {
      CountPlaces(tensor, tensor.part(p), places);
    }
    // Building the layout checks that every inner group can be resolved.
    if (!HasZeroSizedAxis(tensor)) TensorBlocks(*this, tensor);
  }
  degrees_ = DegreesByTensor(*this);
}

std::span<const ScalingDegree> Symmetry::Degrees(
    std::string_view tensor) const {
  const TensorSymmetry* found = degrees_.empty() ? nullptr : Find(tensor);
  if (found == nullptr) return {};
  return degrees_[static_cast<size_t>(found - tensors_.data())];
}

Symmetry Symmetry::WithCompanions(const Checkpoint& checkpoint,
                                  std::span<const Companion> companions) const {
  std::vector<TensorSymmetry> tensors = tensors_;
  std::vector<Scaling> scalings = scalings_;
  for (const Companion& companion : companions) {
    const Tensor* found = checkpoint.Find(companion.tensor);
    if (found == nullptr || Find(companion.tensor) != nullptr) continue;
    const TensorSymmetry* original = Find(companion.copy_of);
    TensorSymmetry added =
        original != nullptr
            ? *original
            : TensorSymmetry{.name = {}, .axes = FixedAxes(found->shape)};
    added.name = companion.tensor;
    added.statistic = true;
    if (added.in_list()) added.member.list += " (copies)";
    tensors.push_back(std::move(added));
    if (original == nullptr) continue;
    for (Scaling& scaling : scalings) AddCopies(companion, scaling.places);
  }
  return Symmetry(groups_, std::move(tensors), std::move(scalings));
}

Symmetry Symmetry::WithoutScalings() const {
  Symmetry plain = *this;
  plain.scalings_.clear();
  plain.degrees_.clear();
  return plain;
}

const TensorSymmetry* Symmetry::Find(std::string_view tensor) const {
  const auto it = std::lower_bound(
      tensors_.begin(), tensors_.end(), tensor,
      [](const TensorSymmetry& t, std::string_view n) { return t.name < n; });
  return it != tensors_.end() && it->name == tensor ? &*it : nullptr;
}

int Symmetry::FindGroup(std::string_view name) const {
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].name == name) return static_cast<int>(g);
  }
  return kNoGroup;
}

int Symmetry::Root(int group) const {
  while (groups_[group].parent != kNoGroup) group = groups_[group].parent;
  return group;
}

int64_t Symmetry::Copies(int group) const {
  int64_t copies = 1;
  for (int p = groups_[group].parent; p != kNoGroup; p = groups_[p].parent) {
    copies *= groups_[p].size;
  }
  return copies;
}

// Ignores groups that occur in no tensor or in empty ones only, since they move
// nothing.
double Symmetry::Log10Order() const {
  std::vector<bool> moves(groups_.size(), false);
  for (const TensorSymmetry& tensor : tensors_) {
    if (HasZeroSizedAxis(tensor)) continue;
    for (int group : tensor.Groups()) moves[group] = true;
  }
  double sum = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (!moves[g]) continue;
    sum += static_cast<double>(Copies(static_cast<int>(g))) *
           Log10Factorial(groups_[g].size);
  }
  return sum;
}

void Symmetry::CheckFits(const Checkpoint& checkpoint,
                         const CoverageOptions& options, const Run& run) const {
  for (const TensorSymmetry& tensor : tensors_) {
    const Tensor* found = checkpoint.Find(tensor.name);
    if (found == nullptr) {
      throw Error(ErrorCode::kMismatch,
                  "the spec names tensor " + Quoted(tensor.name) +
                      ", which the checkpoint does not have",
                  DidYouMean(tensor.name, Names(checkpoint.tensors())));
    }
    CheckShape(tensor, found->shape, groups_);
  }
  CheckCovered(*this, checkpoint, options, run);
  CheckUnits(*this, checkpoint);
}

}  // namespace rebasin
