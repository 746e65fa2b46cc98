// The files in which a model stores the data of its large tensors.

#ifndef REBASIN_ONNX_EXTERNAL_FILES_H_
#define REBASIN_ONNX_EXTERNAL_FILES_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.h"
#include "onnx/onnx.h"
#include "onnx/proto.h"

namespace rebasin {

// Opens each file once, on first use. The files must be in the model's folder
// or below it, and must not be reached through links, unless `follow_symlinks`
// is set. If the model itself is a link (in a download cache), the rules for
// shards apply instead (formats/shard_index.h).
class ExternalFiles {
 public:
  ExternalFiles(std::filesystem::path model, const OnnxOptions& options)
      : model_(std::move(model)),
        follow_symlinks_(options.follow_symlinks),
        allowed_(options.external_data) {}

  struct Data {
    std::span<const std::byte> bytes;
    std::shared_ptr<const MappedFile> file;
  };
  // The data of `tensor`, which has `size` bytes according to its type and
  // shape. `where` names the tensor in messages.
  Data Get(const onnx::TensorProto& tensor, int64_t size,
           const std::string& where, std::vector<std::string>& warnings);

  std::vector<std::shared_ptr<const MappedFile>> files() const;

 private:
  struct Place {
    std::string location;
    int64_t offset = 0;
    std::optional<int64_t> length;
    std::string checksum;  // SHA-1 of the whole file; empty if omitted
  };
  static Place ReadPlace(const onnx::TensorProto& tensor,
                         const std::string& where,
                         std::vector<std::string>& warnings);
  std::shared_ptr<const MappedFile> Open(const std::string& location,
                                         const std::string& where);
  // Throws Error(kLimit) if the tensors read so far use the files too often.
  void Count(int64_t length, const std::string& where);
  void CheckSum(const Place& place, const MappedFile& file,
                const std::string& where);

  std::filesystem::path model_;
  bool follow_symlinks_;
  bool allowed_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
  std::map<const MappedFile*, std::string> sums_;
  int64_t file_bytes_ = 0;    // of all files together
  int64_t tensor_bytes_ = 0;  // of all tensors read so far
};

}  // namespace rebasin

#endif  // REBASIN_ONNX_EXTERNAL_FILES_H_
