// The format before PyTorch 1.6: a magic number, the protocol version, facts
// about the machine, the object, and the keys of its storages, each as a
// separate pickle; then for each key the number of elements and the elements,
// little-endian.

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.h"
#include "formats/limits.h"
#include "formats/torch.h"
#include "formats/torch_storages.h"
#include "io/bytes.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Kind = PickleKind;

constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr int64_t kVersion = 1001;

class LegacyReader {
 public:
  LegacyReader(std::span<const std::byte> file, const std::string& source)
      : file_(file), source_(source) {}

  // Reads the object; the position is then at the keys.
  Pickle ReadObject() {
    const Pickle magic = Next();
    if (!magic.Is(magic.root(), Kind::kBigInt) ||
        magic.Text(magic.root()) != kMagic) {
      throw Error(ErrorCode::kUnsupported,
                  source_ + ": it is a Python pickle, but not of torch.save",
                  "save the state_dict with torch.save");
    }
    const Pickle version = Next();
    if (!version.Is(version.root(), Kind::kInt) ||
        version.Int(version.root()) != kVersion) {
      throw Error(ErrorCode::kUnsupported,
                  source_ +
                      ": it has an unknown version of the old form of "
                      "torch.save",
                  "re-save it with torch >= 1.6");
    }
    Next();  // facts about the machine: not needed
    return Next();
  }

  // Finds each storage, from the keys' pickle to the end of the file.
  std::map<std::string, std::span<const std::byte>> ReadStorages(
      const Pickle& object) {
    const auto storages = StoragesOf(object);
    const Pickle keys = Next();
    if (!keys.Is(keys.root(), Kind::kList)) Fail("it has no list of storages");
    std::map<std::string, std::span<const std::byte>> found;
    for (const PickleRef key : keys.Items(keys.root())) {
      if (!keys.Is(key, Kind::kString)) Fail("the key of a storage is no text");
      const std::string name(keys.Text(key));
      const auto storage = storages.find(name);
      if (storage == storages.end()) {
        Fail("nothing refers to storage " + Quoted(name));
      }
      if (!found.emplace(name, TakeStorage(storage->second)).second) {
        Fail("storage " + Quoted(name) + " is there twice");
      }
    }
    if (at_ != file_.size()) {
      Fail(std::to_string(file_.size() - at_) +
           " bytes follow the last storage");
    }
    return found;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorCode::kBadInput, source_ + ": " + what);
  }

  Pickle Next() {
    const auto rest = file_.subspan(at_);
    const auto limited =
        rest.first(std::min<size_t>(rest.size(), kMaxPickleBytes));
    size_t used = 0;
    Pickle pickle = ReadPickle(limited, TorchGlobals(), source_, &used);
    at_ += used;
    return pickle;
  }

  std::map<std::string, TorchStorage> StoragesOf(const Pickle& object) const {
    std::map<std::string, TorchStorage> storages;
    for (PickleRef value = 0; value < object.size(); ++value) {
      if (!object.Is(value, Kind::kPersistent)) continue;
      const TorchStorage storage =
          ReadTorchStorage(object, object.Items(value)[0], source_);
      storages.emplace(storage.key, storage);
    }
    return storages;
  }

  std::span<const std::byte> TakeStorage(const TorchStorage& storage) {
    const auto size = CheckedMul(storage.size, storage.item_bytes);
    const size_t left = file_.size() - at_;
    if (!size || left < sizeof(uint64_t) ||
        static_cast<uint64_t>(*size) > left - sizeof(uint64_t)) {
      Fail("the file is cut short: storage " + Quoted(storage.key) + " of " +
           std::to_string(storage.size) + " elements has " +
           std::to_string(left) + " bytes left");
    }
    const auto elements = LoadLittle<uint64_t>(file_, at_);
    if (elements != static_cast<uint64_t>(storage.size)) {
      Fail("storage " + Quoted(storage.key) + " should have " +
           std::to_string(storage.size) + " elements, but has " +
           std::to_string(elements));
    }
    at_ += sizeof(uint64_t) + static_cast<size_t>(*size);
    return file_.subspan(at_ - static_cast<size_t>(*size),
                         static_cast<size_t>(*size));
  }

  std::span<const std::byte> file_;
  const std::string& source_;
  size_t at_ = 0;
};

}  // namespace

std::vector<Tensor> ReadLegacyTorch(std::span<const std::byte> file,
                                    const std::shared_ptr<const void>& owner,
                                    const StateDictOptions& options,
                                    const std::string& source) {
  LegacyReader reader(file, source);
  const Pickle object = reader.ReadObject();
  const auto storages = reader.ReadStorages(object);
  const auto find = [&](const TorchStorage& storage) -> StorageBytes {
    const auto found = storages.find(std::string(storage.key));
    if (found != storages.end()) return {found->second, owner};
    throw Error(ErrorCode::kBadInput,
                source + ": storage " + Quoted(storage.key) + " is missing");
  };
  TensorMaker maker(find, /*big_endian=*/false, file.size(), source);
  return maker.MakeAll(ReadStateDict(object, options, source));
}

}  // namespace rebasin
