#include "symmetry/rename.h"

#include <memory>

#include "formats/checkpoint_builder.h"

namespace rebasin {
namespace {

std::string NewName(const std::string& name, const NewNames& names) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

Symmetry RenameTensors(const Symmetry& symmetry, const NewNames& names) {
  std::vector<TensorSymmetry> tensors = symmetry.tensors();
  for (TensorSymmetry& tensor : tensors) {
    tensor.name = NewName(tensor.name, names);
  }
  std::vector<Scaling> scalings = symmetry.scalings();
  for (Scaling& scaling : scalings) {
    for (ScalingPlace& place : scaling.places) {
      place.tensor = NewName(place.tensor, names);
    }
  }
  return Symmetry(symmetry.groups(), std::move(tensors), std::move(scalings));
}

}  // namespace

Checkpoint RenameTensors(const Checkpoint& model, const NewNames& names) {
  CheckpointBuilder builder;
  builder.WatchFilesOf(model);
  for (Tensor tensor : model.tensors()) {
    tensor.name = NewName(tensor.name, names);
    builder.AddTensor(std::move(tensor));
  }
  return builder.Build();
}

Alignment RenameTensors(const Alignment& alignment, const NewNames& names) {
  const auto renamed = std::make_shared<const Symmetry>(
      RenameTensors(alignment.symmetry(), names));
  Alignment result = alignment.WithSymmetry(renamed);
  for (size_t s = 0; s < renamed->scalings().size(); ++s) {
    const int scaling = static_cast<int>(s);
    const int group = renamed->scalings()[s].group;
    for (int64_t copy = 0; copy < renamed->Copies(group); ++copy) {
      const auto factors = alignment.factors(scaling, copy);
      std::copy(factors.begin(), factors.end(),
                result.mutable_factors(scaling, copy).begin());
    }
  }
  return result;
}

}  // namespace rebasin
