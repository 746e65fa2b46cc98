#include "onnx/message_file.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <exception>

#include "rebasin/error.h"

namespace rebasin {
namespace {

// Passes the output of protobuf on to a file. Protobuf is not exception-safe,
// so exceptions are stored and rethrown later.
class FileStream : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit FileStream(AtomicFile& file) : file_(file) {}

  bool Write(const void* data, int size) override {
    try {
      file_.Write(
          {static_cast<const std::byte*>(data), static_cast<size_t>(size)});
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  void Rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  AtomicFile& file_;
  std::exception_ptr failure_;
};

}  // namespace

void WriteMessage(const onnx::ModelProto& model, AtomicFile& file) {
  FileStream stream(file);
  bool complete;
  {
    google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream);
    complete = model.SerializeToZeroCopyStream(&adaptor) && adaptor.Flush();
  }
  stream.Rethrow();
  if (complete) return;
  throw Error(ErrorCode::kLimit, Quoted(file.target().native()) +
                                     ": the model is too large to be written");
}

}  // namespace rebasin
