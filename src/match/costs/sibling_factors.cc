#include "match/costs/sibling_factors.h"

#include <algorithm>
#include <set>
#include <utility>

#include "match/costs/sibling_kernel.h"

namespace rebasin {
namespace {

// The position of each combined index among all dimensions except `dim`.
std::vector<int64_t> PositionsOfOthers(const Slot& slot, size_t dim) {
  Slot others = slot;
  int64_t stride = 1;
  for (size_t d = others.dims.size(); d-- > 0;) {
    others.dims[d].stride = d == dim ? 0 : stride;
    if (d != dim) stride *= others.dims[d].size;
  }
  return Offsets(others);
}

// The position of the first step of each combined index.
std::vector<int64_t> Places(const Slot& slot, size_t dim, int64_t block) {
  std::vector<int64_t> places = PositionsOfOthers(slot, dim);
  const int64_t size = slot.dims[dim].size;
  const int64_t stride = slot.dims[dim].stride;
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t unit = static_cast<int64_t>(i) / stride % size;
    places[i] = places[i] * block + unit;
  }
  return places;
}

void PutSteps(const GatherSource& from, std::span<const int64_t> places,
              int64_t begin, int64_t width, std::vector<float>& to) {
  from.data.Visit([&](const auto* data) {
    for (size_t u = 0; u < from.units.size(); ++u) {
      const auto* unit = data + from.units[u];
      float* out = to.data() + places[u] + begin * width;
      for (const int64_t step : from.steps) {
        *out = AsFloat(unit[step]);
        out += width;
      }
    }
  });
}

}  // namespace

bool HasSiblings(const Slot& slot, const Symmetry& symmetry) {
  for (size_t d = 1; d < slot.dims.size(); ++d) {
    const int parent = symmetry.groups()[slot.dims[d].group].parent;
    if (parent != slot.dims[d - 1].group) return true;
  }
  return false;
}

std::vector<Slot> ChainsOf(const Slot& slot, const Symmetry& symmetry) {
  std::vector<Slot> chains;
  for (const Dim& last : slot.dims) {
    const auto is_inside = [&](const Dim& dim) {
      return symmetry.groups()[dim.group].parent == last.group;
    };
    if (std::any_of(slot.dims.begin(), slot.dims.end(), is_inside)) continue;
    std::set<int> around;
    for (int g = last.group; g != kNoGroup; g = symmetry.groups()[g].parent) {
      around.insert(g);
    }
    Slot chain{.root = slot.root, .dims = {}};
    for (const Dim& dim : slot.dims) {
      if (around.contains(dim.group)) chain.dims.push_back(dim);
    }
    chains.push_back(Combined(std::move(chain)));
  }
  return chains;
}

SiblingFactors::SiblingFactors(const Slot& slot, int64_t steps)
    : n_(slot.size()), steps_(steps), along_(slot.dims.size()) {
  for (size_t d = 1; d < along_.size(); ++d) {
    along_[d].width = SiblingWidth(slot.dims[d].size);
    along_[d].places = Places(slot, d, block(d));
  }
}

int64_t SiblingFactors::bytes() const {
  int64_t floats = 0;
  for (size_t d = 1; d < along_.size(); ++d) {
    const int64_t size = along_[d].places.back() / block(d) + 1;
    floats += 2 * size * block(d);
  }
  return floats * static_cast<int64_t>(sizeof(float));
}

void SiblingFactors::Allocate() {
  for (size_t d = 1; d < along_.size(); ++d) {
    Along& along = along_[d];
    const int64_t size = (along.places.back() / block(d) + 1) * block(d);
    along.a.resize(size, 0.0f);
    along.b.resize(size, 0.0f);
  }
}

void SiblingFactors::Clear() {
  for (Along& along : along_) {
    std::fill(along.a.begin(), along.a.end(), 0.0f);
    std::fill(along.b.begin(), along.b.end(), 0.0f);
  }
}

void SiblingFactors::Release() {
  for (Along& along : along_) {
    std::vector<float>().swap(along.a);
    std::vector<float>().swap(along.b);
  }
}

void SiblingFactors::Put(const GatherSource& a, const GatherSource& b,
                         int64_t begin) {
  for (size_t d = 1; d < along_.size(); ++d) {
    Along& along = along_[d];
    PutSteps(a, along.places, begin, along.width, along.a);
    PutSteps(b, along.places, begin, along.width, along.b);
  }
}

double SiblingFactors::Value(std::span<const int64_t> columns) const {
  const Along& along = along_.back();
  double value = 0;
  for (int64_t i = 0; i < n_; ++i) {
    const float* a = along.a.data() + along.places[i];
    const float* b = along.b.data() + along.places[columns[i]];
    for (int64_t k = 0; k < steps_; ++k) {
      value += static_cast<double>(a[k * along.width]) * b[k * along.width];
    }
  }
  return value;
}

}  // namespace rebasin
