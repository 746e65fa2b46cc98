// The zip format: NAME/data.pkl, and an entry NAME/data/KEY for each storage.

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/limits.h"
#include "formats/torch.h"
#include "formats/torch_storages.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr std::string_view kPickle = "/data.pkl";
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool IsPickle(const ZipEntry& entry) { return entry.name.ends_with(kPickle); }

// Returns NAME, which is the name of the file when it was saved.
std::string FindFolder(const ZipArchive& archive, const std::string& source) {
  const auto& entries = archive.entries();
  const auto count = std::count_if(entries.begin(), entries.end(), IsPickle);
  if (count != 1) {
    throw Error(ErrorCode::kBadInput,
                source + ": " + (count == 0 ? "no" : std::to_string(count)) +
                    " entries are called data.pkl");
  }
  std::string name =
      std::find_if(entries.begin(), entries.end(), IsPickle)->name;
  name.resize(name.size() - kPickle.size());
  return name;
}

void RefuseTorchScript(const ZipArchive& archive, const std::string& folder,
                       const std::string& source) {
  const bool script =
      std::any_of(archive.entries().begin(), archive.entries().end(),
                  [&](const ZipEntry& entry) {
                    return entry.name.starts_with(folder + "/code/") ||
                           entry.name == folder + "/constants.pkl";
                  });
  if (!script) return;
  throw Error(ErrorCode::kUnsupported,
              source + ": it is a TorchScript archive, which holds code",
              "save model.state_dict() with torch.save");
}

bool IsBigEndian(const ZipArchive& archive, const std::string& folder,
                 const std::string& source) {
  const ZipEntry* entry = archive.Find(folder + "/byteorder");
  if (entry == nullptr) return false;
  constexpr int64_t kMost = 16;
  const ZipContent content = archive.Read(*entry, kMost);
  const std::string_view order(
      reinterpret_cast<const char*>(content.bytes.data()),
      content.bytes.size());
  if (order == "big") return true;
  if (order == "little") return false;
  throw Error(ErrorCode::kBadInput,
              source + ": its byte order is " + Quoted(order));
}

Pickle ReadWholePickle(std::span<const std::byte> bytes,
                       const std::string& source) {
  size_t used = 0;
  Pickle pickle = ReadPickle(bytes, TorchGlobals(), source, &used);
  if (used == bytes.size()) return pickle;
  throw Error(ErrorCode::kBadInput, source + ": " +
                                        std::to_string(bytes.size() - used) +
                                        " bytes follow the pickle's end");
}

}  // namespace

bool IsTorchArchive(const ZipArchive& archive) {
  return std::any_of(archive.entries().begin(), archive.entries().end(),
                     [](const ZipEntry& entry) {
                       return IsPickle(entry) ||
                              entry.name.ends_with("/constants.pkl");
                     });
}

std::vector<Tensor> ReadTorchArchive(const ZipArchive& archive,
                                     const std::shared_ptr<const void>& owner,
                                     const StateDictOptions& options,
                                     const std::string& source) {
  const std::string folder = FindFolder(archive, source);
  RefuseTorchScript(archive, folder, source);
  const ZipContent content = archive.Read(
      *archive.Find(folder + std::string(kPickle)), kMaxPickleBytes);
  const Pickle pickle = ReadWholePickle(content.bytes, source);
  const auto find = [&](const TorchStorage& storage) -> StorageBytes {
    const std::string name = folder + "/data/" + std::string(storage.key);
    const ZipEntry* entry = archive.Find(name);
    if (entry == nullptr) {
      throw Error(ErrorCode::kBadInput,
                  source + ": the entry " + Quoted(name) + " is missing");
    }
    ZipContent found = archive.Read(*entry, kNoLimit);
    if (!found.owner) return {found.bytes, owner};
    return {found.bytes, std::move(found.owner)};
  };
  TensorMaker maker(find, IsBigEndian(archive, folder, source),
                    archive.file_bytes(), source);
  return maker.MakeAll(ReadStateDict(pickle, options, source));
}

}  // namespace rebasin
