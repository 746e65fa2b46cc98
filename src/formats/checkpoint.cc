#include "rebasin/checkpoint.h"

#include <algorithm>
#include <utility>

#include "formats/checkpoint_builder.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool NameLess(const Tensor& a, const Tensor& b) { return a.name < b.name; }

// Sorts, and throws if a name occurs twice.
void SortByName(std::vector<Tensor>& tensors) {
  if (!std::is_sorted(tensors.begin(), tensors.end(), NameLess)) {
    std::sort(tensors.begin(), tensors.end(), NameLess);
  }
  const auto twice = std::adjacent_find(
      tensors.begin(), tensors.end(),
      [](const Tensor& a, const Tensor& b) { return a.name == b.name; });
  if (twice != tensors.end()) {
    throw Error(ErrorCode::kBadInput,
                "tensor " + Quoted(twice->name) + " occurs twice");
  }
}

void CheckTensor(const Tensor& tensor) {
  if (tensor.name.empty()) {
    throw Error(ErrorCode::kBadInput, "a tensor has an empty name");
  }
  const auto bytes = DataBytes(tensor.dtype, tensor.shape);
  if (bytes && *bytes == static_cast<int64_t>(tensor.bytes.size())) return;
  throw Error(ErrorCode::kBadInput,
              "tensor " + Quoted(tensor.name) + ": shape " +
                  ShapeText(tensor.shape) + " of " +
                  std::string(DTypeName(tensor.dtype)) + " does not take " +
                  std::to_string(tensor.bytes.size()) + " bytes");
}

}  // namespace

Checkpoint::Checkpoint(std::vector<Tensor> tensors,
                       std::map<std::string, std::string> metadata)
    : tensors_(std::move(tensors)), metadata_(std::move(metadata)) {
  for (const Tensor& tensor : tensors_) CheckTensor(tensor);
  SortByName(tensors_);
}

const Tensor* Checkpoint::Find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const Tensor& tensor, std::string_view key) {
                         return tensor.name < key;
                       });
  if (found == tensors_.end() || found->name != name) return nullptr;
  return &*found;
}

int64_t Checkpoint::bytes() const {
  size_t total = 0;
  for (const Tensor& tensor : tensors_) total += tensor.bytes.size();
  return static_cast<int64_t>(total);
}

void Checkpoint::CheckUnchanged() const {
  for (const auto& file : files_) file->CheckUnchanged();
}

std::vector<std::string> CheckpointBuilder::AddSafetensors(
    const std::shared_ptr<const MappedFile>& file) {
  SafetensorsHeader header = ReadSafetensorsHeader(
      file->bytes(), Quoted(file->path().native()), warn_);
  std::vector<std::string> names;
  names.reserve(header.tensors.size());
  const auto data =
      file->bytes().subspan(static_cast<size_t>(header.data_offset));
  checkpoint_.tensors_.reserve(checkpoint_.tensors_.size() +
                               header.tensors.size());
  for (TensorEntry& entry : header.tensors) {
    names.push_back(entry.name);
    checkpoint_.tensors_.push_back(
        {.name = std::move(entry.name),
         .dtype = *entry.dtype,
         .shape = std::move(entry.shape),
         .bytes = data.subspan(static_cast<size_t>(entry.begin),
                               static_cast<size_t>(entry.end - entry.begin)),
         .owner = file});
  }
  checkpoint_.metadata_.merge(header.metadata);
  checkpoint_.files_.push_back(file);
  return names;
}

void CheckpointBuilder::AddMetadata(
    std::map<std::string, std::string> metadata) {
  checkpoint_.metadata_.merge(metadata);
}

void CheckpointBuilder::AddTensor(Tensor tensor) {
  checkpoint_.tensors_.push_back(std::move(tensor));
}

void CheckpointBuilder::Watch(std::shared_ptr<const MappedFile> file) {
  checkpoint_.files_.push_back(std::move(file));
}

void CheckpointBuilder::WatchFilesOf(const Checkpoint& checkpoint) {
  for (const auto& file : checkpoint.files_) Watch(file);
}

Checkpoint CheckpointBuilder::Build() {
  SortByName(checkpoint_.tensors_);
  return std::move(checkpoint_);
}

}  // namespace rebasin
