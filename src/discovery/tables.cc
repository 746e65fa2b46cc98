#include "discovery/tables.h"

#include <algorithm>
#include <set>

#include "base/patterns.h"
#include "graph/constant_weights.h"
#include "rebasin/error.h"
#include "symmetry/fixed_tensors.h"

namespace rebasin {
namespace {

bool IsEqualInAll(const std::string& name, std::span<const Checkpoint> models) {
  const Tensor* first = models[0].Find(name);
  return std::all_of(models.begin(), models.end(), [&](const auto& model) {
    const Tensor* tensor = model.Find(name);
    return tensor != nullptr && tensor->dtype == first->dtype &&
           std::equal(first->bytes.begin(), first->bytes.end(),
                      tensor->bytes.begin(), tensor->bytes.end());
  });
}

// Whether the tensor differs between indices of the axis.
bool VariesAlong(const Tensor& tensor, size_t axis) {
  const int64_t size = tensor.shape[axis];
  if (tensor.size() == 0 || size < 2) return false;
  int64_t inner = DTypeBits(tensor.dtype) / 8;  // in bytes
  for (size_t k = axis + 1; k < tensor.shape.size(); ++k) {
    inner *= tensor.shape[k];
  }
  const auto block = static_cast<size_t>(inner);
  const auto slice = block * static_cast<size_t>(size);
  for (size_t o = 0; o < tensor.bytes.size(); o += slice) {
    const auto first = tensor.bytes.subspan(o, block);
    for (size_t i = block; i < slice; i += block) {
      const auto other = tensor.bytes.subspan(o + i, block);
      if (!std::equal(first.begin(), first.end(), other.begin())) return true;
    }
  }
  return false;
}

// The outermost groups on an axis.
std::set<int> RootsOn(const Axis& axis, const Symmetry& symmetry) {
  std::set<int> roots;
  for (const Segment& segment : axis.segments) {
    for (const Factor& factor : segment) {
      if (factor.group != kNoGroup) roots.insert(symmetry.Root(factor.group));
    }
  }
  return roots;
}

class TableFinder {
 public:
  TableFinder(const Symmetry& symmetry, std::span<const Checkpoint> models,
              const TableOptions& options)
      : symmetry_(symmetry), models_(models), options_(options) {}

  std::vector<std::string> Find() {
    std::vector<const TensorSymmetry*> equal;
    for (const TensorSymmetry& tensor : symmetry_.tensors()) {
      if (IsEqualInAll(tensor.name, models_)) {
        equal.push_back(&tensor);
      } else {
        RecordDifference(tensor);
      }
    }
    std::vector<std::string> held;
    for (const TensorSymmetry* tensor : equal) {
      if (MustStayFixed(*tensor)) held.push_back(tensor->name);
    }
    return held;
  }

 private:
  void RecordDifference(const TensorSymmetry& tensor) {
    if (tensor.in_list()) trained_lists_.insert(tensor.member.list);
    for (int group : tensor.Groups()) different_.insert(symmetry_.Root(group));
    if (!IsNamedConstant(tensor.name)) return;
    throw Error(ErrorCode::kMismatch,
                "tensor " + Quoted(tensor.name) +
                    " is listed as a constant, but its values differ "
                    "between the models",
                "remove it from --constant if it is trained");
  }

  bool IsNamedConstant(const std::string& name) const {
    return MatchesAnyPattern(name, options_.constants) &&
           !MatchesAnyPattern(name, options_.trained);
  }

  bool MustStayFixed(const TensorSymmetry& tensor) const {
    if (IsNamedConstant(tensor.name)) return true;
    if (MatchesAnyPattern(tensor.name, options_.trained)) return false;
    const Tensor& numbers = *models_[0].Find(tensor.name);
    if (!IsArithmetic(numbers.dtype)) return false;
    if (tensor.in_list()) {
      if (trained_lists_.contains(tensor.member.list)) return false;
      if (different_.contains(tensor.member.group) && VariesInList(tensor)) {
        return true;
      }
    }
    for (size_t p = 0; p < tensor.parts(); ++p) {
      for (size_t k = 0; k < tensor.axes.size(); ++k) {
        const Axis& axis = tensor.part(p)[k];
        if (HasDifferentGroup(axis) && VariesAlong(numbers, k)) return true;
      }
    }
    return false;
  }

  bool VariesInList(const TensorSymmetry& tensor) const {
    const auto& list = symmetry_.lists().at(tensor.member.list);
    const Tensor& numbers = *models_[0].Find(tensor.name);
    return std::any_of(list.begin(), list.end(), [&](int index) {
      const std::string& name = symmetry_.tensors()[index].name;
      return !std::ranges::equal(models_[0].Find(name)->bytes, numbers.bytes);
    });
  }

  bool HasDifferentGroup(const Axis& axis) const {
    const auto roots = RootsOn(axis, symmetry_);
    return std::any_of(roots.begin(), roots.end(),
                       [&](int root) { return different_.contains(root); });
  }

  const Symmetry& symmetry_;
  std::span<const Checkpoint> models_;
  const TableOptions& options_;
  // Outermost groups on the axes of tensors that differ between the models.
  std::set<int> different_;
  // Lists with a tensor that differs between the models.
  std::set<std::string> trained_lists_;
};

}  // namespace

std::vector<std::string> FindTables(const Symmetry& symmetry,
                                    std::span<const Checkpoint> models,
                                    const TableOptions& options) {
  return TableFinder(symmetry, models, options).Find();
}

std::vector<std::string> TablesFixedBy(const Symmetry& used,
                                       const Symmetry& found) {
  std::vector<std::string> names;
  for (const TensorSymmetry& tensor : found.tensors()) {
    const TensorSymmetry* other = used.Find(tensor.name);
    if (other != nullptr && !tensor.Groups().empty() &&
        other->Groups().empty()) {
      names.push_back(tensor.name);
    }
  }
  return names;
}

std::vector<Tensor> TensorsNamed(const Checkpoint& model,
                                 const std::vector<std::string>& names) {
  std::vector<Tensor> tensors;
  for (const std::string& name : names) {
    const Tensor* tensor = model.Find(name);
    if (tensor != nullptr) tensors.push_back(*tensor);
  }
  return tensors;
}

Discovery DiscoverWithConstants(const Graph& graph,
                                const std::vector<Tensor>& held,
                                const DiscoverOptions& options) {
  Discovery discovery = Discover(WithConstantWeights(graph, held), options);
  discovery.symmetry = WithFixedTensors(discovery.symmetry, held);
  return discovery;
}

}  // namespace rebasin
