// .onnx files: any bytes are read or refused with an Error. What is read has
// the weights of its graph, and the symmetries found in it describe them.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz_check.h"
#include "memory.h"
#include "onnx/onnx.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"

namespace {

constexpr size_t kMaxNodes = 500;

// A node of about ten bytes becomes an object with names, attributes and
// shapes; values known before running are computed, up to 96 MiB in total.
constexpr size_t kTimes = 250;
constexpr size_t kFolded = 192 << 20;

// The bytes as a file in memory.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size)
      : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    FUZZ_CHECK(write(fd_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { close(fd_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const MemoryFile file(data, size);
  const MemoryMeter meter;
  try {
    IsOnnx(file.path());
    const OnnxModel model = ReadOnnx(file.path());
    CheckMemory(meter, size, kTimes, kFolded);
    FUZZ_CHECK(model.weights.tensors().size() == model.graph.weights().size());
    for (ValueId id : model.graph.weights()) {
      const Value& value = model.graph.values()[static_cast<size_t>(id)];
      const Tensor* tensor = model.weights.Find(value.name);
      FUZZ_CHECK(tensor != nullptr && tensor->shape == value.shape);
    }
    BindWeights(model, model.weights);
    if (model.graph.nodes().size() > kMaxNodes) return 0;
    const Discovery found = Discover(model.graph);
    found.symmetry.CheckFits(model.weights);
  } catch (const Error&) {
    CheckMemory(meter, size, kTimes, kFolded);
  }
  return 0;
}
