#include "match/scaled/signed_models.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "symmetry/placement.h"

namespace rebasin {
namespace {

// The source of an index of an expanded axis, and its factor.
struct Origin {
  int64_t index = 0;
  double factor = 1;
};

std::string NewName(const std::set<std::string>& taken, size_t scaling) {
  std::string name = "sign/" + std::to_string(scaling);
  while (taken.contains(name)) name += "_";
  return name;
}

int64_t ElementsOf(const Symmetry& symmetry, const Scaling& scaling) {
  int64_t elements = 0;
  for (const ScalingPlace& place : scaling.places) {
    elements += symmetry.Find(place.tensor)->elements();
  }
  return elements;
}

// True if the group is among factors that its segment shares with another
// segment: no sign can be inserted there.
bool IsShared(const Symmetry& symmetry, const ScalingPlace& place, int group) {
  const Axis& axis = symmetry.Find(place.tensor)->axes[place.axis];
  const Segment& segment = axis.segments[place.segment];
  const int shared =
      std::max(axis.Shared(place.segment), axis.Shared(place.segment + 1));
  return std::any_of(segment.begin(), segment.begin() + shared,
                     [&](const Factor& f) { return f.group == group; });
}

// Signs that do not meet, those that act on most weights first.
std::set<size_t> Separate(const Symmetry& symmetry) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t s = 0; s < symmetry.scalings().size(); ++s) {
    const Scaling& scaling = symmetry.scalings()[s];
    if (scaling.kind != ScalingKind::kSign) continue;
    order.push_back({-ElementsOf(symmetry, scaling), s});
  }
  std::sort(order.begin(), order.end());
  std::set<size_t> chosen;
  std::set<std::tuple<std::string, int, int, int>> taken;
  for (const auto& [elements, s] : order) {
    const Scaling& scaling = symmetry.scalings()[s];
    const auto key = [&](const ScalingPlace& place) {
      return std::tuple(place.tensor, place.axis, place.segment, scaling.group);
    };
    const bool meets = std::any_of(
        scaling.places.begin(), scaling.places.end(), [&](const auto& place) {
          return taken.contains(key(place)) ||
                 IsShared(symmetry, place, scaling.group);
        });
    if (meets) continue;
    chosen.insert(s);
    for (const ScalingPlace& place : scaling.places) taken.insert(key(place));
  }
  return chosen;
}

// Inserts a group of two behind its outer group.
void AddSign(Segment& segment, int group, int sign_group) {
  const auto at =
      std::find_if(segment.begin(), segment.end(),
                   [&](const Factor& f) { return f.group == group; });
  segment.insert(at + 1, {sign_group, 2});
}

// The axis without sign groups.
Axis WithoutSigns(Axis axis, int first_sign) {
  for (size_t s = 0; s < axis.segments.size(); ++s) {
    std::erase_if(axis.segments[s],
                  [&](const Factor& f) { return f.group >= first_sign; });
  }
  return axis;
}

std::vector<Origin> Origins(const Axis& axis, int first_sign) {
  const auto to = PlaceSegments(axis);
  const auto from = PlaceSegments(WithoutSigns(axis, first_sign));
  std::vector<Origin> all(axis.size());
  for (size_t s = 0; s < axis.segments.size(); ++s) {
    // Pairs of an index of the expanded axis and its source.
    std::vector<std::pair<int64_t, Origin>> part = {
        {to[s].offset, {from[s].offset, 1}}};
    size_t kept = 0;  // number of factors that are not signs
    for (size_t f = 0; f < axis.segments[s].size(); ++f) {
      const Factor& factor = axis.segments[s][f];
      const bool sign = factor.group >= first_sign;
      std::vector<std::pair<int64_t, Origin>> next;
      for (const auto& [index, origin] : part) {
        for (int64_t i = 0; i < factor.size; ++i) {
          const double half = i == 0 ? std::sqrt(0.5) : -std::sqrt(0.5);
          const int64_t step = sign ? 0 : i * from[s].strides[kept];
          next.push_back({index + i * to[s].strides[f],
                          {origin.index + step,
                           sign ? origin.factor * half : origin.factor}});
        }
      }
      kept += !sign;
      part = std::move(next);
    }
    for (const auto& [index, origin] : part) all[index] = origin;
  }
  return all;
}

// Expands a tensor, axis by axis.
class Writer {
 public:
  Writer(const Tensor& tensor, const TensorSymmetry& symmetry, int first_sign)
      : values_(static_cast<size_t>(tensor.size())) {
    ReadFloats(tensor, 0, values_);
    int64_t stride = tensor.size();
    size_t size = 1;
    for (size_t k = 0; k < symmetry.axes.size(); ++k) {
      stride /= tensor.shape[k];
      strides_.push_back(stride);
      axes_.push_back(Origins(symmetry.axes[k], first_sign));
      shape_.push_back(static_cast<int64_t>(axes_[k].size()));
      size *= axes_[k].size();
    }
    out_.reserve(size);
    Write(0, {0, 1});
  }

  Tensor Finish(const std::string& name) const {
    return MakeTensor(name, shape_, out_);
  }

 private:
  void Write(size_t axis, const Origin& outer) {
    if (axis == axes_.size()) {
      const double value = values_[static_cast<size_t>(outer.index)];
      out_.push_back(static_cast<float>(value * outer.factor));
      return;
    }
    for (const Origin& origin : axes_[axis]) {
      Write(axis + 1, {outer.index + origin.index * strides_[axis],
                       outer.factor * origin.factor});
    }
  }

  std::vector<float> values_, out_;
  std::vector<int64_t> strides_;
  std::vector<std::vector<Origin>> axes_;
  Shape shape_;
};

}  // namespace

SignedModels::SignedModels(std::shared_ptr<const Symmetry> symmetry)
    : symmetry_(std::move(symmetry)),
      sign_groups_(symmetry_->scalings().size(), kNoGroup) {
  std::vector<Group> groups = symmetry_->groups();
  std::set<std::string> names;
  for (const Group& group : groups) names.insert(group.name);
  for (size_t s : Separate(*symmetry_)) {
    const Scaling& scaling = symmetry_->scalings()[s];
    sign_groups_[s] = static_cast<int>(groups.size());
    groups.push_back(
        {.name = NewName(names, s), .size = 2, .parent = scaling.group});
  }
  std::vector<TensorSymmetry> tensors;
  for (const TensorSymmetry& tensor : symmetry_->tensors()) {
    if (tensor.statistic) continue;
    TensorSymmetry& written = tensors.emplace_back(tensor);
    for (const ScalingDegree& degree : symmetry_->Degrees(tensor.name)) {
      if (sign_groups_[degree.scaling] == kNoGroup) continue;
      AddSign(written.axes[degree.axis].segments[degree.segment],
              symmetry_->scalings()[degree.scaling].group,
              sign_groups_[degree.scaling]);
    }
  }
  expanded_ =
      std::make_shared<const Symmetry>(std::move(groups), std::move(tensors));
}

std::vector<int> SignedModels::LeftOut() const {
  std::vector<int> left_out;
  for (size_t s = 0; s < sign_groups_.size(); ++s) {
    const bool sign = symmetry_->scalings()[s].kind == ScalingKind::kSign;
    if (sign && sign_groups_[s] == kNoGroup) {
      left_out.push_back(static_cast<int>(s));
    }
  }
  return left_out;
}

Checkpoint SignedModels::Expand(const Checkpoint& model) const {
  const int first_sign = static_cast<int>(symmetry_->groups().size());
  std::vector<Tensor> tensors;
  for (const TensorSymmetry& tensor : expanded_->tensors()) {
    const Tensor& held = *model.Find(tensor.name);
    const bool same =
        tensor.elements() == held.size() || !IsArithmetic(held.dtype);
    tensors.push_back(
        same ? held : Writer(held, tensor, first_sign).Finish(held.name));
  }
  return Checkpoint(std::move(tensors));
}

Alignment SignedModels::Read(const Alignment& expanded) const {
  Alignment alignment(symmetry_);
  for (int g = 0; g < static_cast<int>(symmetry_->groups().size()); ++g) {
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto units = expanded.permutation(g, c);
      std::copy(units.begin(), units.end(),
                alignment.mutable_permutation(g, c).begin());
    }
  }
  for (int s = 0; s < static_cast<int>(sign_groups_.size()); ++s) {
    if (sign_groups_[s] == kNoGroup) continue;
    const int group = symmetry_->scalings()[s].group;
    const int64_t size = symmetry_->groups()[group].size;
    for (int64_t c = 0; c < symmetry_->Copies(group); ++c) {
      const auto factors = alignment.mutable_factors(s, c);
      for (int64_t i = 0; i < size; ++i) {
        const auto two = expanded.permutation(sign_groups_[s], c * size + i);
        factors[i] = two[0] == 0 ? 1 : -1;
      }
    }
  }
  return alignment;
}

Alignment SignedModels::Write(const Alignment& alignment) const {
  Alignment expanded(expanded_);
  for (int g = 0; g < static_cast<int>(symmetry_->groups().size()); ++g) {
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto units = alignment.permutation(g, c);
      std::copy(units.begin(), units.end(),
                expanded.mutable_permutation(g, c).begin());
    }
  }
  for (int s = 0; s < static_cast<int>(sign_groups_.size()); ++s) {
    if (sign_groups_[s] == kNoGroup) continue;
    const auto factors = alignment.all_factors(s);
    for (size_t unit = 0; unit < factors.size(); ++unit) {
      const auto two = expanded.mutable_permutation(sign_groups_[s],
                                                    static_cast<int64_t>(unit));
      two[0] = factors[unit] < 0 ? 1 : 0;
      two[1] = 1 - two[0];
    }
  }
  return expanded;
}

}  // namespace rebasin
