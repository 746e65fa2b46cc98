#include "cli/models.h"

#include "base/text.h"
#include "cli/arguments.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "rebasin/onnx.h"

namespace rebasin::cli {
namespace {

DType ParseType(const std::string& text) {
  return ParseChoice<DType>("--dtype", text,
                            {{"F64", DType::kF64},
                             {"F32", DType::kF32},
                             {"F16", DType::kF16},
                             {"BF16", DType::kBF16}});
}

Checkpoint ConvertModel(const Checkpoint& model, const std::string& path,
                        DType dtype, Console& console) {
  int64_t count = 0;
  for (const Tensor& tensor : model.tensors()) {
    count += IsArithmetic(tensor.dtype) && tensor.dtype != dtype;
  }
  if (count == 0) return model;
  console.Warn(Count(count, "tensor") + " of " + Quoted(path) +
               " converted to " + std::string(DTypeName(dtype)));
  return ConvertTypes(model, dtype);
}

Checkpoint OpenOnnx(const std::string& path, const Context& context,
                    Console& console) {
  std::vector<std::string> warnings;
  const Checkpoint weights =
      ReadOnnxWeights(path,
                      {.follow_symlinks = context.follow_symlinks,
                       .external_data = context.external_data},
                      &warnings);
  for (const std::string& warning : warnings) console.Warn(warning);
  return weights;
}

}  // namespace

Checkpoint OpenModel(const std::string& path, const Context& context,
                     Console& console, const std::string& dtype) {
  const Checkpoint model =
      IsOnnx(path) ? OpenOnnx(path, context, console)
                   : Checkpoint::Open(
                         path, {.follow_symlinks = context.follow_symlinks,
                                .key = context.key,
                                .skip_unsupported = context.skip_unsupported,
                                .keep_prefixes = context.keep_prefixes,
                                .npy_bf16 = context.npy_bf16,
                                .threads = context.threads,
                                .warn = console.warner()});
  return dtype.empty() ? model
                       : ConvertModel(model, path, ParseType(dtype), console);
}

void RequireTensors(const Checkpoint& model, const std::string& path) {
  if (!model.tensors().empty()) return;
  throw Error(ErrorCode::kMismatch, Quoted(path) + " holds no tensors");
}

void WarnIfSame(const Checkpoint& a, const Checkpoint& b, int threads,
                Console& console) {
  if (SameContent(a, b, nullptr, threads)) {
    console.Warn("the models hold the same content");
  }
}

}  // namespace rebasin::cli
