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

std::vector<Tensor> ReadNpzTensors(
    const ZipArchive& archive, const std::shared_ptr<const void>& owner,
    const std::function<void(const std::string&)>& warn,
    const std::string& source) {
  std::vector<Tensor> tensors;
  for (const ZipEntry& entry : archive.entries()) {
    if (entry.is_folder()) continue;
    std::string name = entry.name;
    if (!name.ends_with(kEnding) || name.size() == kEnding.size()) {
      if (warn) {
        warn(source + ": entry " + Quoted(name) +
             " is no array, and is left out");
      }
      continue;
    }
    if (tensors.size() == kMaxTensors) {
      throw Error(ErrorCode::kLimit, source + ": it has more than " +
                                         std::to_string(kMaxTensors) +
                                         " arrays");
    }
    name.resize(name.size() - kEnding.size());
    ZipContent content = archive.Read(entry, kNoLimit);
    std::shared_ptr<const void> keeper = owner;
    if (content.owner) keeper = std::move(content.owner);
    tensors.push_back(ReadNpy(content.bytes, std::move(keeper), name,
                              source + ": array " + Quoted(name)));
  }
  if (tensors.empty()) {
    throw Error(ErrorCode::kMismatch, source + ": it holds no arrays");
  }
  return tensors;
}

}  // namespace rebasin
