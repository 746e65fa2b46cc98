#include "symmetry/ties.h"

#include <map>
#include <string>

#include "rebasin/error.h"

namespace rebasin {
namespace {

void CheckSameAxes(const TensorSymmetry& x, const TensorSymmetry& y,
                   std::span<const Group> groups) {
  if (x.axes.size() != y.axes.size()) return;  // views of different shape
  for (size_t a = 0; a < x.axes.size(); ++a) {
    const std::string first = AxisText(x.axes[a], groups);
    const std::string second = AxisText(y.axes[a], groups);
    if (first == second) continue;
    throw Error(ErrorCode::kBadInput,
                "tensors " + Quoted(x.name) + " and " + Quoted(y.name) +
                    " are tied, but axis " + std::to_string(a) + " is " +
                    Quoted(first) + " of one and " + Quoted(second) +
                    " of the other");
  }
}

}  // namespace

void CheckTies(const Symmetry& symmetry, const Checkpoint& checkpoint) {
  std::map<const std::byte*, const TensorSymmetry*> firsts;
  for (const Tensor& tensor : checkpoint.tensors()) {
    const TensorSymmetry* described = symmetry.Find(tensor.name);
    if (tensor.bytes.empty() || described == nullptr) continue;
    const auto [first, added] = firsts.emplace(tensor.bytes.data(), described);
    if (!added) CheckSameAxes(*first->second, *described, symmetry.groups());
  }
}

}  // namespace rebasin
