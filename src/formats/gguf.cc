#include "formats/gguf.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/quoted_list.h"
#include "base/text.h"
#include "formats/gguf_layout.h"
#include "formats/sniff.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

std::string TypeName(const PlacedGgufTensor& placed) {
  return placed.type ? std::string(placed.type->name)
                     : "number " + std::to_string(placed.tensor.type);
}

bool IsSupported(const PlacedGgufTensor& placed) {
  return placed.type != nullptr && placed.type->dtype.has_value();
}

// Returns the supported tensors, and warns about the others.
std::vector<PlacedGgufTensor> Supported(std::vector<PlacedGgufTensor> placed,
                                        const OpenOptions& options,
                                        const Run& run,
                                        const std::string& source) {
  std::vector<std::string> left_out;
  for (const PlacedGgufTensor& tensor : placed) {
    if (IsSupported(tensor)) continue;
    if (!options.skip_unsupported) {
      throw Error(ErrorCode::kUnsupported,
                  source + ": tensor " + Quoted(tensor.tensor.name) +
                      ": the type " + TypeName(tensor) + " is not supported",
                  "--skip-unsupported leaves such tensors out");
    }
    left_out.push_back(tensor.tensor.name);
  }
  if (left_out.empty()) return placed;
  std::erase_if(placed, [](const auto& each) { return !IsSupported(each); });
  if (placed.empty()) {
    throw Error(ErrorCode::kMismatch,
                source + ": all of its tensors are unsupported: " +
                    QuotedList(left_out));
  }
  run.Warn(source + ": tensors that are not supported are left out: " +
           QuotedList(left_out));
  return placed;
}

// Converts quantised blocks to elements in new memory.
void Dequantize(Tensor& tensor, ThreadPool& pool) {
  const auto count = static_cast<size_t>(tensor.size());
  const std::shared_ptr<float[]> floats =
      std::make_shared_for_overwrite<float[]>(count);
  constexpr size_t kBlocks = 4096, kBytes = 34 * kBlocks,
                   kFloats = 32 * kBlocks;
  const std::span<float> out(floats.get(), count);
  const size_t tasks = (tensor.bytes.size() + kBytes - 1) / kBytes;
  pool.For(static_cast<int64_t>(tasks), [&](int64_t task) {
    const size_t at = static_cast<size_t>(task);
    const auto blocks = tensor.bytes.subspan(at * kBytes);
    const auto to = out.subspan(at * kFloats);
    DequantizeQ8(blocks.first(std::min(blocks.size(), kBytes)),
                 to.first(std::min(to.size(), kFloats)));
  });
  tensor.bytes = std::as_bytes(out);
  tensor.owner = floats;
}

std::vector<Tensor> MakeTensors(std::vector<PlacedGgufTensor> placed,
                                const std::shared_ptr<const void>& owner,
                                const Run& run, const std::string& source) {
  int64_t quantised = 0;
  ThreadPool pool(run.threads);
  std::vector<Tensor> tensors;
  for (PlacedGgufTensor& each : placed) {
    tensors.push_back({.name = std::move(each.tensor.name),
                       .dtype = *each.type->dtype,
                       .shape = std::move(each.tensor.shape),
                       .bytes = each.bytes,
                       .owner = owner});
    if (each.type->number != kGgufQ8_0) continue;
    run.CheckStop();
    Dequantize(tensors.back(), pool);
    ++quantised;
  }
  if (quantised > 0) {
    run.Warn(source + ": " + Count(quantised, "tensor") +
             " of type Q8_0 read as F32");
  }
  return tensors;
}

}  // namespace

GgufContent ReadGguf(std::span<const std::byte> file,
                     const std::shared_ptr<const void>& owner,
                     const OpenOptions& options, const Run& run,
                     const std::string& source) {
  GgufHeader header = ReadGgufHeader(file, source);
  auto placed =
      Supported(PlaceGgufTensors(header, file, source), options, run, source);
  const std::vector<std::string>& arrays = header.metadata.left_out;
  if (!arrays.empty()) {
    run.Warn(source +
             ": metadata that are lists are left out: " + QuotedList(arrays));
  }
  return {.tensors = MakeTensors(std::move(placed), owner, run, source),
          .metadata = std::move(header.metadata.values)};
}

bool IsGguf(const InputFile& file) { return StartsWith(file.bytes(), "GGUF"); }

Checkpoint ReadGgufFile(const InputFile& file, const OpenOptions& options,
                        const Run& run) {
  GgufContent content =
      ReadGguf(file.bytes(), file.mapped(), options, run, file.source());
  return file.Build(std::move(content.tensors), std::move(content.metadata));
}

}  // namespace rebasin
