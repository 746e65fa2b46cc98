#include "formats/npz.h"

#include <limits>
#include <string_view>
#include <utility>

#include "formats/limits.h"
#include "formats/npy.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr std::string_view kEnding = ".npy";
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

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
                 " is no array, and is left out");
  }
  return std::nullopt;
}

std::vector<Tensor> ReadNpzTensors(const ZipArchive& archive,
                                   const std::shared_ptr<const void>& owner,
                                   const NpzOptions& options,
                                   const std::string& source) {
  std::vector<Tensor> tensors;
  for (const ZipEntry& entry : archive.entries()) {
    const auto name = ArrayName(entry, options, source);
    if (!name) continue;
    if (tensors.size() == kMaxTensors) {
      throw Error(ErrorCode::kLimit, source + ": it has more than " +
                                         std::to_string(kMaxTensors) +
                                         " arrays");
    }
    ZipContent content = archive.Read(entry, kNoLimit);
    std::shared_ptr<const void> keeper = owner;
    if (content.owner) keeper = std::move(content.owner);
    tensors.push_back(ReadNpy(content.bytes, std::move(keeper), *name,
                              source + ": array " + Quoted(*name),
                              options.arrays));
  }
  if (tensors.empty()) {
    throw Error(ErrorCode::kMismatch, source + ": it holds no arrays");
  }
  return tensors;
}

}  // namespace rebasin
