#include "cli/models.h"

#include <filesystem>

#include "cli/arguments.h"
#include "cli/text.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "symmetry/names.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string>& Architectures() {
  static const std::vector<std::string> names = {"mlp"};
  return names;
}

// A bare word that is no file is meant to be an architecture.
bool IsMisspeltName(const std::string& text) {
  std::error_code ignored;
  return text.find_first_of("./") == std::string::npos &&
         !fs::exists(text, ignored);
}

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

}  // namespace

Checkpoint OpenModel(const std::string& path, const Context& context,
                     Console& console, const std::string& dtype) {
  const Checkpoint model = Checkpoint::Open(
      path,
      {.follow_symlinks = context.follow_symlinks, .warn = console.warner()});
  return dtype.empty() ? model
                       : ConvertModel(model, path, ParseType(dtype), console);
}

Symmetry ResolveSymmetry(const std::string& text, const Checkpoint& model) {
  if (text == "mlp") return InferMlp(model);
  if (IsMisspeltName(text)) {
    const std::string hint = DidYouMean(text, Architectures());
    throw Error(ErrorCode::kUsage,
                "--spec " + Quoted(text) +
                    " is neither a file nor a known architecture",
                hint.empty() ? "known: mlp" : hint);
  }
  return Symmetry::Load(text);
}

std::shared_ptr<const Symmetry> SymmetryFor(const std::string& text,
                                            const Checkpoint& model,
                                            bool allow_uncovered,
                                            Console& console) {
  auto symmetry =
      std::make_shared<const Symmetry>(ResolveSymmetry(text, model));
  symmetry->CheckFits(
      model, {.allow_uncovered = allow_uncovered, .warn = console.warner()});
  return symmetry;
}

void WarnIfSame(const Checkpoint& a, const Checkpoint& b, int threads,
                Console& console) {
  if (SameContent(a, b, nullptr, threads)) {
    console.Warn("the models hold the same content");
  }
}

}  // namespace rebasin::cli
