#include "formats/input_file.h"

#include <utility>

#include "formats/checkpoint_builder.h"
#include "rebasin/error.h"

namespace rebasin {

InputFile::InputFile(std::filesystem::path path, int threads)
    : path_(std::move(path)),
      source_(Quoted(path_.native())),
      threads_(threads) {}

const std::shared_ptr<const MappedFile>& InputFile::mapped() const {
  if (!mapped_) mapped_ = MappedFile::Open(path_);
  return mapped_;
}

const ZipArchive& InputFile::archive() const {
  if (archive_) return *archive_;
  constexpr size_t kWorthThreads = size_t{16} << 20;
  const bool is_small = bytes().size() < kWorthThreads;
  pool_ = std::make_unique<ThreadPool>(is_small ? 1 : threads_);
  return archive_.emplace(bytes(), source_, pool_.get());
}

Checkpoint InputFile::Build(std::vector<Tensor> tensors,
                            Metadata metadata) const {
  CheckpointBuilder builder;
  for (Tensor& tensor : tensors) builder.AddTensor(std::move(tensor));
  builder.AddMetadata(std::move(metadata));
  builder.Watch(mapped());
  try {
    return builder.Build();
  } catch (const Error& error) {
    throw Error(error.code(), source_ + ": " + error.what());
  }
}

}  // namespace rebasin
