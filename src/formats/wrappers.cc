#include "formats/wrappers.h"

#include <algorithm>

#include "formats/checkpoint_builder.h"

namespace rebasin {
namespace {

bool AllHavePrefix(const Checkpoint& model, size_t at,
                   std::string_view wrapper) {
  return std::all_of(model.tensors().begin(), model.tensors().end(),
                     [&](const Tensor& tensor) {
                       const std::string_view name = tensor.name;
                       return name.size() > at + wrapper.size() &&
                              name.substr(at).starts_with(wrapper);
                     });
}

}  // namespace

std::string WrapperPrefix(const Checkpoint& model,
                          std::span<const std::string_view> wrappers) {
  if (model.tensors().empty()) return "";
  size_t size = 0;
  while (true) {
    const auto next = std::find_if(wrappers.begin(), wrappers.end(),
                                   [&](std::string_view wrapper) {
                                     return AllHavePrefix(model, size, wrapper);
                                   });
    if (next == wrappers.end()) return model.tensors()[0].name.substr(0, size);
    size += next->size();
  }
}

Checkpoint WithoutPrefix(const Checkpoint& model, const std::string& prefix) {
  CheckpointBuilder builder;
  builder.WatchFilesOf(model);
  builder.AddMetadata(model.metadata());
  for (Tensor tensor : model.tensors()) {
    tensor.name.erase(0, prefix.size());
    builder.AddTensor(std::move(tensor));
  }
  return builder.Build();
}

}  // namespace rebasin
