#include "onnx/write.h"

#include <algorithm>
#include <memory>

#include "formats/save.h"
#include "io/atomic_file.h"
#include "io/publish.h"
#include "onnx/message_file.h"
#include "onnx/model_file.h"
#include "onnx/wire.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Alignment of tensors, which readers that map the file prefer.
constexpr int64_t kAlignment = 4096;
// Upper bound of the size of a tensor's other fields: tags, lengths, location.
constexpr int64_t kTensorOverhead = 512;

void ClearData(onnx::TensorProto& tensor) {
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_uint64_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

void AddEntry(onnx::TensorProto& tensor, const char* key,
              const std::string& value) {
  auto* entry = tensor.add_external_data();
  entry->set_key(key);
  entry->set_value(value);
}

class ModelWriter {
 public:
  ModelWriter(const fs::path& from, const Checkpoint& weights,
              const fs::path& path, const WriteOptions& options,
              const OnnxOptions& reading, const Run& run)
      : weights_(weights),
        path_(path),
        options_(options),
        file_options_(FileOptionsFor(options, run, weights.bytes())),
        file_(from, reading, warnings_) {
    CheckTarget(path, options.force);
    FindNewData();
  }

  void Write(int64_t max_model_bytes) {
    const bool inside = InlineBytes() <= max_model_bytes;
    if (inside) {
      for (auto& [tensor, bytes] : new_data_) {
        tensor->set_raw_data(bytes.data(), bytes.size());
      }
    } else {
      WriteDataFile();
    }
    AtomicFile model(path_, file_options_);
    WriteMessage(file_.model(), model);
    model.Finish([&] { CheckWritten(model); });
    weights_.CheckUnchanged();
    Publish(model);
  }

 private:
  // Collects all data to be written: that of the checkpoint, and that of the
  // old external files.
  void FindNewData() {
    auto& protos =
        *file_.mutable_model().mutable_graph()->mutable_initializer();
    StoreCopies(protos);
    size_t replaced = 0;
    for (size_t i = 0; i < file_.initializers().size(); ++i) {
      onnx::TensorProto& proto = file_.mutable_proto(i);
      const Tensor& old = file_.initializers()[i];
      const Tensor* tensor = weights_.Find(old.name);
      if (tensor != nullptr) {
        CheckSame(*tensor, old);
        ++replaced;
      } else if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
        tensor = &old;
      } else {
        continue;
      }
      new_data_.emplace_back(&proto, tensor->bytes);
      ClearData(proto);
    }
    if (replaced < weights_.tensors().size()) ThrowUnknownTensor();
  }

  // Stores the data of copies that are not replaced, before the data that they
  // share is replaced.
  void StoreCopies(
      google::protobuf::RepeatedPtrField<onnx::TensorProto>& protos) {
    for (int i = 0; i < protos.size(); ++i) {
      if (!file_.is_copy(static_cast<size_t>(i))) continue;
      const Tensor& copy = file_.initializers()[static_cast<size_t>(i)];
      if (weights_.Find(copy.name) != nullptr) continue;
      protos[i].set_raw_data(copy.bytes.data(), copy.bytes.size());
    }
  }

  void CheckSame(const Tensor& tensor, const Tensor& old) const {
    if (tensor.dtype == old.dtype && tensor.shape == old.shape) return;
    throw Error(ErrorCode::kMismatch,
                file_.source() + ": tensor " + Quoted(old.name) + " is " +
                    TypeText(old) + ", but the new tensor is " +
                    TypeText(tensor));
  }

  static std::string TypeText(const Tensor& tensor) {
    return std::string(DTypeName(tensor.dtype)) + " " + ShapeText(tensor.shape);
  }

  [[noreturn]] void ThrowUnknownTensor() const {
    for (const Tensor& tensor : weights_.tensors()) {
      const auto& known = file_.initializers();
      const bool found = std::any_of(
          known.begin(), known.end(),
          [&](const Tensor& old) { return old.name == tensor.name; });
      if (found) continue;
      throw Error(ErrorCode::kMismatch, file_.source() + ": has no tensor " +
                                            Quoted(tensor.name) +
                                            " to be replaced");
    }
    throw Error(ErrorCode::kMismatch,
                file_.source() + ": a tensor to be replaced is missing");
  }

  int64_t InlineBytes() const {
    auto bytes = static_cast<int64_t>(file_.model().ByteSizeLong());
    for (const auto& [tensor, data] : new_data_) {
      bytes += static_cast<int64_t>(data.size()) + kTensorOverhead;
    }
    return bytes;
  }

  void WriteDataFile() {
    if (CheckTarget(path_, options_.force)) {
      throw Error(ErrorCode::kUnsupported,
                  "a model of this size needs a second file for its data and "
                  "cannot be written to a device");
    }
    fs::path target = path_;
    target += ".data";
    data_ = std::make_unique<AtomicFile>(target, file_options_);
    for (auto& [tensor, bytes] : new_data_) {
      const int64_t padding = -data_->written() & (kAlignment - 1);
      data_->Write(std::vector<std::byte>(static_cast<size_t>(padding)));
      tensor->set_data_location(onnx::TensorProto::EXTERNAL);
      AddEntry(*tensor, "location", target.filename().native());
      AddEntry(*tensor, "offset", std::to_string(data_->written()));
      AddEntry(*tensor, "length", std::to_string(bytes.size()));
      data_->Write(bytes);
    }
    data_->Finish();
  }

  void CheckWritten(const AtomicFile& model) const {
    const auto file = MappedFile::Open(model.written_path());
    CheckWire(file->bytes(), Quoted(model.written_path().native()));
    if (file->bytes().size() == file_.model().ByteSizeLong()) return;
    throw Error(ErrorCode::kIo,
                Quoted(model.written_path().native()) +
                    " does not contain the data that was written to it");
  }

  void Publish(AtomicFile& model) {
    if (data_) return PublishTogether({&data_, 1}, model, options_.sync);
    PublishAlone(model, options_.sync);
  }

  const Checkpoint& weights_;
  const fs::path& path_;
  const WriteOptions& options_;
  const AtomicFileOptions file_options_;
  // Not reported: the first reader of the file has reported them.
  std::vector<std::string> warnings_;
  ModelFile file_;
  std::vector<std::pair<onnx::TensorProto*, std::span<const std::byte>>>
      new_data_;
  std::unique_ptr<AtomicFile> data_;
};

}  // namespace

void WriteOnnxUpTo(int64_t max_model_bytes, const fs::path& from,
                   const Checkpoint& weights, const fs::path& path,
                   const WriteOptions& options, const OnnxOptions& reading,
                   const Run& run) {
  ModelWriter(from, weights, path, options, reading, run)
      .Write(max_model_bytes);
}

void WriteOnnx(const fs::path& from, const Checkpoint& weights,
               const fs::path& path, const WriteOptions& options,
               const OnnxOptions& reading, const Run& run) {
  WriteOnnxUpTo(kMaxModelBytes, from, weights, path, options, reading, run);
}

}  // namespace rebasin
