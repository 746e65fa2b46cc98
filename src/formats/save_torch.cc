// Writes checkpoints like torch.save, in a form that
// torch.load(weights_only=True) accepts.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/rearrange.h"
#include "formats/save.h"
#include "io/atomic_file.h"
#include "io/zip_writer.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

const char* StorageName(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kF32:
      return "FloatStorage";
    case DType::kF64:
      return "DoubleStorage";
    case DType::kF16:
      return "HalfStorage";
    case DType::kBF16:
      return "BFloat16Storage";
    case DType::kI64:
      return "LongStorage";
    case DType::kI32:
      return "IntStorage";
    case DType::kI16:
      return "ShortStorage";
    case DType::kI8:
      return "CharStorage";
    case DType::kU8:
      return "ByteStorage";
    case DType::kBool:
      return "BoolStorage";
    default:
      throw Error(ErrorCode::kUnsupported,
                  "tensor " + Quoted(tensor.name) + " of " +
                      std::string(DTypeName(tensor.dtype)) +
                      " has no place in a PyTorch file");
  }
}

std::string Little(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i));
  return text;
}

// Writes a pickle (protocol 2) that makes an OrderedDict of tensors.
class PickleWriter {
 public:
  PickleWriter() : text_("\x80\x02") {
    AddEmptyDict();
    text_ += '(';
  }

  // Adds a tensor that is the whole storage `key`.
  void Add(const Tensor& tensor, const std::string& key) {
    AddText(tensor.name);
    AddGlobal("torch._utils", "_rebuild_tensor_v2");
    text_ += "((";
    AddText("storage");
    AddGlobal("torch", StorageName(tensor));
    AddText(key);
    AddText("cpu");
    AddInt(tensor.size());
    text_ += "tQ";
    AddInt(0);
    AddInts(tensor.shape);
    AddInts(RowMajorStrides(tensor.shape));
    text_ += '\x89';  // requires_grad: False
    AddEmptyDict();   // backward hooks: none
    text_ += "tR";
  }

  std::string Finish() { return std::move(text_) + "u."; }

 private:
  void AddEmptyDict() {
    AddGlobal("collections", "OrderedDict");
    text_ += ")R";
  }
  void AddGlobal(std::string_view module, std::string_view name) {
    ((((text_ += 'c') += module) += '\n') += name) += '\n';
  }
  void AddText(std::string_view text) {
    ((text_ += 'X') += Little(text.size(), 4)) += text;
  }
  void AddInt(int64_t value) {
    if (value <= INT32_MAX) {
      (text_ += 'J') += Little(static_cast<uint64_t>(value), 4);
    } else {
      (text_ += "\x8a\x08") += Little(static_cast<uint64_t>(value), 8);
    }
  }
  void AddInts(const Shape& values) {
    text_ += '(';
    for (const int64_t value : values) AddInt(value);
    text_ += 't';
  }

  std::string text_;
};

// Tensors with the same bytes in memory are tied and share a storage. Empty
// tensors have one each.
using StoragePlace = std::tuple<const void*, size_t, DType>;

StoragePlace PlaceOf(const Tensor& tensor) {
  const bool empty = tensor.bytes.empty();
  return {empty ? static_cast<const void*>(&tensor) : tensor.bytes.data(),
          tensor.bytes.size(), tensor.dtype};
}

}  // namespace

void SaveTorch(const Checkpoint& checkpoint, const std::filesystem::path& path,
               const WriteOptions& options, const Run& run) {
  PickleWriter pickle;
  std::map<StoragePlace, std::string> keys;
  std::vector<NewZipEntry> entries = {{.name = "archive/data.pkl"},
                                      {"archive/byteorder", "little"}};
  for (const Tensor& tensor : checkpoint.tensors()) {
    const auto [key, is_new] =
        keys.try_emplace(PlaceOf(tensor), std::to_string(keys.size()));
    pickle.Add(tensor, key->second);
    if (!is_new) continue;
    entries.push_back(
        {.name = "archive/data/" + key->second, .rest = tensor.bytes});
  }
  entries.push_back({"archive/version", "3\n"});
  entries[0].head = pickle.Finish();
  AtomicFile file(path, FileOptionsFor(options, run, checkpoint.bytes()));
  WriteZip(entries, file);
  PublishChecked(file, checkpoint, options);
}

}  // namespace rebasin
