#include "formats/npz.h"

#include <limits>
#include <string_view>
#include <utility>

#include "formats/limits.h"
#include "formats/npy.h"
#include "formats/sniff.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr std::string_view kEnding = ".npy";
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Returns nothing if the array is skipped.
std::optional<Tensor> ReadArray(const ZipArchive& archive,
                                const ZipEntry& entry,
                                std::shared_ptr<const void> owner,
                                const std::string& name,
                                const NpzOptions& options,
                                const std::string& source) {
  ZipContent content = archive.Read(entry, kNoLimit);
  if (content.owner) owner = std::move(content.owner);
  try {
    return ReadNpy(content.bytes, std::move(owner), name,
                   source + ": array " + Quoted(name), options.arrays);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported || !options.skip_unsupported) {
      throw;
    }
    if (options.warn) options.warn(error.what() + std::string(": left out"));
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> ArrayName(const ZipEntry& entry,
                                     const NpzOptions& options,
                                     const std::string& source) {
  if (entry.is_folder()) return std::nullopt;
  const std::string& name = entry.name;
  if (name.ends_with(kEnding) && name.size() > kEnding.size()) {
    return name.substr(0, name.size() - kEnding.size());
  }
  if (options.warn) {
    options.warn(source + ": entry " + Quoted(name) +
                 " is not an array, and is skipped");
  }
  return std::nullopt;
}

void CheckArrayNames(const ZipArchive& archive, const std::string& source) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::string& name = entry.name;
    if (!name.ends_with(kEnding)) continue;
    const std::string array = name.substr(0, name.size() - kEnding.size());
    if (archive.Find(array) == nullptr) continue;
    throw Error(ErrorCode::kBadInput,
                source + ": duplicate array " + Quoted(array) +
                    ": the entries " + Quoted(array) + " and " + Quoted(name) +
                    " both have this name");
  }
}

std::vector<Tensor> ReadNpzTensors(const ZipArchive& archive,
                                   const std::shared_ptr<const void>& owner,
                                   const NpzOptions& options,
                                   const std::string& source) {
  CheckArrayNames(archive, source);
  std::vector<Tensor> tensors;
  for (const ZipEntry& entry : archive.entries()) {
    const auto name = ArrayName(entry, options, source);
    if (!name) continue;
    if (tensors.size() == kMaxTensors) {
      throw Error(ErrorCode::kLimit, source + ": it has more than " +
                                         std::to_string(kMaxTensors) +
                                         " arrays");
    }
    auto tensor = ReadArray(archive, entry, owner, *name, options, source);
    if (tensor) tensors.push_back(*std::move(tensor));
  }
  if (tensors.empty()) {
    throw Error(ErrorCode::kMismatch, source + ": it holds no arrays");
  }
  return tensors;
}

bool IsNpz(const InputFile& file) { return StartsZip(file.bytes()); }

Checkpoint ReadNpzFile(const InputFile& file, const OpenOptions& options,
                       const Run& run) {
  return file.Build(
      ReadNpzTensors(file.archive(), file.mapped(),
                     {.arrays = {.v2_is_bf16 = options.npy_bf16},
                      .skip_unsupported = options.skip_unsupported,
                      .warn = run.warn},
                     file.source()));
}

}  // namespace rebasin
