// Files as torch.save writes them, sound or with one thing wrong.

#ifndef REBASIN_TESTS_SUPPORT_TORCH_FILES_H_
#define REBASIN_TESTS_SUPPORT_TORCH_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "support/zip_files.h"

namespace rebasin {

// The opcodes of a pickle, joined by +.
namespace pickled {

std::string Program(const std::string& opcodes);  // protocol 2 ... STOP
std::string Text(const std::string& text);
std::string Int(int64_t number);
std::string Global(const std::string& module, const std::string& name);
std::string Tuple(const std::vector<std::string>& items);
std::string Ints(const std::vector<int64_t>& numbers);  // as a tuple
std::string Call(const std::string& function, const std::string& arguments);
struct Item {
  std::string key, value;  // opcodes
};
std::string Dict(const std::vector<Item>& items);
std::string OrderedDict(const std::vector<Item>& items);

// A view of a storage, by _rebuild_tensor_v2.
struct View {
  std::string key = "0";
  int64_t elements = 6;  // of the storage
  std::vector<int64_t> shape = {2, 3};
  std::vector<int64_t> strides = {3, 1};
  int64_t offset = 0;
  std::string type = "FloatStorage";
};
std::string StorageId(const View& view);
std::string TensorOf(const View& view = {});

}  // namespace pickled

// An archive with data.pkl and entries data/KEY.
struct Stored {
  std::string key, bytes;
};
std::string TorchArchive(const std::string& pickle,
                         const std::vector<Stored>& storages,
                         const std::vector<ZipPart>& more = {});

// The older form. Each storage has `item` bytes an element.
std::string LegacyTorch(const std::string& pickle,
                        const std::vector<Stored>& storages, size_t item = 4);

// One float32 tensor "w" of shape [2, 3], 0 to 5.
std::string SixFloats();
std::string SoundTorchArchive();
std::string SoundLegacyTorch();

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_TORCH_FILES_H_
