// Makes tensors from views and storages.

#ifndef REBASIN_FORMATS_TORCH_STORAGES_H_
#define REBASIN_FORMATS_TORCH_STORAGES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/torch_objects.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct StorageBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Returns the bytes of a storage.
using FindStorage = std::function<StorageBytes(const TorchStorage&)>;

class TensorMaker {
 public:
  // `file_bytes` limits how much may be copied.
  TensorMaker(FindStorage find, bool big_endian, size_t file_bytes,
              const std::string& source);

  // Row-major views refer to the file, and views of one storage share it.
  // Throws Error(kLimit) if the tensors have far more bytes than the storages.
  std::vector<Tensor> MakeAll(std::vector<TorchView> views);

 private:
  struct Known {
    TorchStorage storage;
    StorageBytes bytes;
  };

  Tensor Make(TorchView view);
  const StorageBytes& Find(const TorchStorage& storage);
  void CountCopy(size_t bytes);
  void CheckShared(std::span<const Tensor> tensors) const;

  FindStorage find_;
  bool big_endian_;
  size_t copies_left_;
  const std::string& source_;
  std::map<std::string_view, Known> known_;
};

}  // namespace rebasin

#endif  // REBASIN_FORMATS_TORCH_STORAGES_H_
