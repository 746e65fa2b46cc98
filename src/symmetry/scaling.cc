#include "symmetry/scaling.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "rebasin/error.h"

namespace rebasin {
namespace {

// Limit of the number of all factors together, as a protection against
// malicious specs.
constexpr int64_t kMaxFactors = int64_t{1} << 28;

[[noreturn]] void Fail(const std::string& what) {
  throw Error(ErrorCode::kBadInput, what);
}

bool HasGroup(const Segment& segment, int group) {
  return std::any_of(segment.begin(), segment.end(), [&](const Factor& factor) {
    return factor.group == group;
  });
}

class Checker {
 public:
  explicit Checker(const Symmetry& symmetry) : symmetry_(symmetry) {
    for (const Group& group : symmetry.groups()) {
      if (group.parent != kNoGroup) outer_.insert(group.parent);
    }
  }

  std::vector<std::vector<ScalingDegree>> Run() {
    degrees_.resize(symmetry_.tensors().size());
    for (size_t s = 0; s < symmetry_.scalings().size(); ++s) {
      CheckGroup(symmetry_.scalings()[s]);
      std::set<std::tuple<std::string, int, int>> seen;
      for (const ScalingPlace& place : symmetry_.scalings()[s].places) {
        Add(static_cast<int>(s), place);
        if (!seen.insert({place.tensor, place.axis, place.segment}).second) {
          Fail(Name(s) + " names tensor " + Quoted(place.tensor) + " axis " +
               std::to_string(place.axis) + " twice");
        }
      }
    }
    return std::move(degrees_);
  }

 private:
  std::string Name(size_t scaling) const {
    const int group = symmetry_.scalings()[scaling].group;
    return "scaling " + std::to_string(scaling) + " of group " +
           Quoted(symmetry_.groups()[group].name);
  }

  void CheckGroup(const Scaling& scaling) {
    const int groups = static_cast<int>(symmetry_.groups().size());
    if (scaling.group < 0 || scaling.group >= groups) {
      Fail("a scaling names a group that does not exist");
    }
    const Group& group = symmetry_.groups()[scaling.group];
    if (outer_.contains(scaling.group)) {
      Fail("group " + Quoted(group.name) +
           " has a scaling, but other groups lie within it");
    }
    if (scaling.places.empty()) {
      Fail("a scaling of group " + Quoted(group.name) + " has no places");
    }
    units_ += group.size * symmetry_.Copies(scaling.group);
    if (units_ <= kMaxFactors) return;
    throw Error(ErrorCode::kLimit, "the scalings have more than " +
                                       std::to_string(kMaxFactors) +
                                       " factors in all");
  }

  void Add(int scaling, const ScalingPlace& place) {
    const Scaling& whole = symmetry_.scalings()[scaling];
    const TensorSymmetry* tensor = symmetry_.Find(place.tensor);
    const std::string where = Name(scaling) + ": tensor " +
                              Quoted(place.tensor) + " axis " +
                              std::to_string(place.axis);
    if (tensor == nullptr) {
      Fail(Name(scaling) + " names tensor " + Quoted(place.tensor) +
           ", which is not described");
    }
    if (tensor->parts() > 1) {
      Fail(where + ": a tensor of several parts cannot have scalings");
    }
    if (tensor->in_list()) {
      Fail(where + ": a tensor of a list cannot have scalings");
    }
    const int axes = static_cast<int>(tensor->axes.size());
    if (place.axis < 0 || place.axis >= axes) {
      Fail(where + ": the tensor has " + std::to_string(axes) + " axes");
    }
    const auto& segments = tensor->axes[place.axis].segments;
    if (place.segment < 0 ||
        place.segment >= static_cast<int>(segments.size()) ||
        !HasGroup(segments[place.segment], whole.group)) {
      Fail(where + " segment " + std::to_string(place.segment) +
           ": the group does not occur there");
    }
    const bool sign = whole.kind == ScalingKind::kSign;
    if (place.degree != 1 && (sign || place.degree != -1)) {
      Fail(where + ": its degree must be 1" + (sign ? "" : " or -1") +
           ", found " + std::to_string(place.degree));
    }
    degrees_[static_cast<size_t>(tensor - symmetry_.tensors().data())]
        .push_back({scaling, place.axis, place.segment, place.degree});
  }

  const Symmetry& symmetry_;
  std::set<int> outer_;  // groups that contain other groups
  int64_t units_ = 0;
  std::vector<std::vector<ScalingDegree>> degrees_;
};

}  // namespace

std::vector<std::vector<ScalingDegree>> DegreesByTensor(
    const Symmetry& symmetry) {
  if (symmetry.scalings().empty()) return {};
  return Checker(symmetry).Run();
}

int ScaledDim(const Slot& slot, const ScalingDegree& degree,
              const Symmetry& symmetry) {
  if (slot.root == kNoGroup) return -1;
  const int group = symmetry.scalings()[degree.scaling].group;
  for (size_t d = 0; d < slot.dims.size(); ++d) {
    const Dim& dim = slot.dims[d];
    if (dim.group == group && dim.axis == degree.axis &&
        dim.segment == degree.segment) {
      return static_cast<int>(d);
    }
  }
  return -1;
}

std::vector<double> SlotFactors(const Slot& slot,
                                std::span<const ScalingDegree> degrees,
                                const Alignment& alignment) {
  const Symmetry& symmetry = alignment.symmetry();
  std::vector<double> result;
  for (const ScalingDegree& degree : degrees) {
    const int dim = ScaledDim(slot, degree, symmetry);
    if (dim < 0) continue;
    const auto factors = alignment.all_factors(degree.scaling);
    const auto units = UnitsAlong(slot, static_cast<size_t>(dim), symmetry);
    if (result.empty()) result.assign(units.size(), 1.0);
    for (size_t i = 0; i < units.size(); ++i) {
      const double factor = factors[static_cast<size_t>(units[i])];
      result[i] *= degree.degree > 0 ? factor : 1 / factor;
    }
  }
  const bool all_one = std::all_of(result.begin(), result.end(),
                                   [](double factor) { return factor == 1; });
  return all_one ? std::vector<double>() : result;
}

}  // namespace rebasin
