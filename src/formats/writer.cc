#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "formats/safetensors_header.h"
#include "formats/save.h"
#include "formats/write_plan.h"
#include "io/atomic_file.h"
#include "io/publish.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

bool IsAsPlanned(const TensorEntry& entry, const TensorPlan& plan) {
  return entry.name == plan.name && entry.dtype == plan.dtype &&
         entry.shape == plan.shape;
}

// Reads back the header: the file must be valid and contain the planned
// tensors. The data is not compared, because it would come from the same page
// cache.
void CheckWritten(const fs::path& path, std::span<const TensorPlan> plan) {
  const auto file = MappedFile::Open(path);
  const SafetensorsHeader header =
      ReadSafetensorsHeader(file->bytes(), Quoted(path.native()), {});
  std::vector<TensorPlan> sorted(plan.begin(), plan.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  if (std::equal(header.tensors.begin(), header.tensors.end(), sorted.begin(),
                 sorted.end(), IsAsPlanned)) {
    return;
  }
  throw Error(ErrorCode::kIo,
              Quoted(path.native()) + " does not hold what was written to it");
}

// One file of the output.
struct Part {
  fs::path target;
  std::span<const TensorPlan> tensors;
  std::string header;
  int64_t data_bytes = 0;
};

}  // namespace

struct CheckpointWriter::Impl {
  void PlanParts(const fs::path& path, const Metadata& metadata);
  void StartFile();
  void FinishFile();
  void FinishAll();
  void Publish();

  WriteOptions options;
  AtomicFileOptions file_options;
  std::vector<TensorPlan> plan;
  std::vector<Part> parts;
  // One for each started part; the last one is being written.
  std::vector<std::unique_ptr<AtomicFile>> files;
  std::unique_ptr<AtomicFile> index;  // null for a single file
  int64_t remaining = 0;              // data bytes missing in the current part
};

void CheckpointWriter::Impl::PlanParts(const fs::path& path,
                                       const Metadata& metadata) {
  const ShardNames names(path);
  const bool device = CheckTarget(path, options.force);
  const auto shards = SplitIntoShards(plan, device ? 0 : options.shard_bytes);
  const bool single = shards.size() == 1;
  if (single && options.shard_bytes <= 0 && path.extension() == ".json") {
    throw Error(ErrorCode::kUsage,
                Quoted(path.native()) + " is the name of an index",
                "end the name in .safetensors, or ask for shards");
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    parts.push_back({.target = !single ? names.Shard(i, shards.size())
                               : names.named_index ? names.Single()
                                                   : path,
                     .tensors = shards[i],
                     .header = MakeSafetensorsHeader(shards[i], metadata),
                     .data_bytes = PlanBytes(shards[i])});
  }
  for (const Part& part : parts) CheckTarget(part.target, options.force);
  if (single) return;
  index = std::make_unique<AtomicFile>(names.Index(), file_options);
  index->Write(BytesOf(MakeShardIndex(names, shards)));
}

void CheckpointWriter::Impl::StartFile() {
  const Part& part = parts[files.size()];
  auto file = std::make_unique<AtomicFile>(part.target, file_options);
  file->Reserve(static_cast<int64_t>(part.header.size()) + part.data_bytes);
  file->Write(BytesOf(part.header));
  files.push_back(std::move(file));
  remaining = part.data_bytes;
}

void CheckpointWriter::Impl::FinishFile() {
  assert(remaining == 0 && "all bytes of the plan must be appended");
  AtomicFile& file = *files.back();
  const auto& tensors = parts[files.size() - 1].tensors;
  file.Finish([&] { CheckWritten(file.written_path(), tensors); });
}

void CheckpointWriter::Impl::FinishAll() {
  FinishFile();
  while (files.size() < parts.size()) {  // parts without data
    StartFile();
    FinishFile();
  }
  if (index) index->Finish();
}

void CheckpointWriter::Impl::Publish() {
  if (index) return PublishTogether(files, *index, options.sync);
  PublishAlone(*files[0], options.sync);
}

CheckpointWriter::CheckpointWriter(const fs::path& path,
                                   std::vector<TensorPlan> plan,
                                   const Metadata& metadata,
                                   const WriteOptions& options, const Run& run)
    : impl_(std::make_unique<Impl>()) {
  CheckAndSortPlan(plan, metadata);
  impl_->options = options;
  impl_->file_options = FileOptionsFor(options, run, PlanBytes(plan));
  impl_->plan = std::move(plan);
  impl_->PlanParts(path, metadata);
  impl_->StartFile();
}

CheckpointWriter::~CheckpointWriter() = default;

const std::vector<TensorPlan>& CheckpointWriter::order() const {
  return impl_->plan;
}

void CheckpointWriter::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    while (impl_->remaining == 0) {
      assert(impl_->files.size() < impl_->parts.size() && "more than planned");
      impl_->FinishFile();
      impl_->StartFile();
    }
    const auto piece = bytes.first(
        std::min(bytes.size(), static_cast<size_t>(impl_->remaining)));
    impl_->files.back()->Write(piece);
    impl_->remaining -= static_cast<int64_t>(piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

void CheckpointWriter::Commit() {
  impl_->FinishAll();
  impl_->Publish();
}

void SaveCheckpoint(const Checkpoint& checkpoint, const fs::path& path,
                    const WriteOptions& options, const Run& run) {
  std::vector<TensorPlan> plan;
  plan.reserve(checkpoint.tensors().size());
  for (const Tensor& tensor : checkpoint.tensors()) {
    plan.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  CheckpointWriter writer(path, std::move(plan), checkpoint.metadata(), options,
                          run);
  for (const TensorPlan& tensor : writer.order()) {
    writer.Append(checkpoint.Find(tensor.name)->bytes);
  }
  checkpoint.CheckUnchanged();
  writer.Commit();
}

}  // namespace rebasin
