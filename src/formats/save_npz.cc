// Writes checkpoints like numpy.savez.

#include <string>
#include <vector>

#include "formats/save.h"
#include "io/atomic_file.h"
#include "io/zip_writer.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

const char* TypeCode(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kF64:
      return "<f8";
    case DType::kF32:
      return "<f4";
    case DType::kF16:
      return "<f2";
    case DType::kC64:
      return "<c8";
    case DType::kI64:
      return "<i8";
    case DType::kI32:
      return "<i4";
    case DType::kI16:
      return "<i2";
    case DType::kI8:
      return "|i1";
    case DType::kU64:
      return "<u8";
    case DType::kU32:
      return "<u4";
    case DType::kU16:
      return "<u2";
    case DType::kU8:
      return "|u1";
    case DType::kBool:
      return "|b1";
    default:
      throw Error(ErrorCode::kUnsupported,
                  "tensor " + Quoted(tensor.name) + ": NumPy has no " +
                      std::string(DTypeName(tensor.dtype)),
                  "convert it with --dtype F32");
  }
}

// (), (3,) or (3, 4): a tuple of Python.
std::string TupleText(const Shape& shape) {
  std::string text = "(";
  for (const int64_t size : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Format 1.0, padded with spaces so that the elements start at a multiple of 64
// bytes.
std::string NpyHeader(const Tensor& tensor) {
  constexpr size_t kBefore = 10, kAlignment = 64;
  std::string text =
      std::string("{'descr': '") + TypeCode(tensor) +
      "', 'fortran_order': False, 'shape': " + TupleText(tensor.shape) + ", }";
  text.append(kAlignment - (kBefore + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += {'\1', '\0', static_cast<char>(text.size() & 0xFF),
             static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace

void SaveNpz(const Checkpoint& checkpoint, const std::filesystem::path& path,
             const WriteOptions& options, const Run& run) {
  std::vector<NewZipEntry> entries;
  for (const Tensor& tensor : checkpoint.tensors()) {
    entries.push_back({tensor.name + ".npy", NpyHeader(tensor), tensor.bytes});
  }
  AtomicFile file(path, FileOptionsFor(options, run, checkpoint.bytes()));
  WriteZip(entries, file);
  PublishChecked(file, checkpoint, options);
}

}  // namespace rebasin
