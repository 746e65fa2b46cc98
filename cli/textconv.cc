#include "cli/textconv.h"

#include <cstdio>

#include "base/text.h"
#include "cli/console.h"
#include "cli/structure.h"
#include "formats/summary.h"
#include "git/lfs_pointer.h"
#include "io/file.h"
#include "io/sha256.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

// Digits of a digest; enough to distinguish versions.
constexpr size_t kShownDigits = 16;

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string Numbers(const TensorSummary& tensor) {
  if (!IsArithmetic(tensor.dtype)) return "";
  std::string text = ", mean " + Short(tensor.mean) + ", deviation " +
                     Short(tensor.deviation) + ", from " + Short(tensor.least) +
                     " to " + Short(tensor.most);
  if (tensor.nonfinite > 0) {
    text += ", " + std::to_string(tensor.nonfinite) + " not finite";
  }
  return text;
}

std::string Line(const TensorSummary& tensor) {
  return Printable(tensor.name) + ": " + std::string(DTypeName(tensor.dtype)) +
         " " + ShapeText(tensor.shape) + Numbers(tensor) + ", sha256 " +
         tensor.sha256.substr(0, kShownDigits) + "\n";
}

std::string ModelText(const Checkpoint& model, int threads) {
  std::string text;
  for (const auto& [key, value] : model.metadata()) {
    text += "metadata " + Printable(key) + ": " + Printable(value) + "\n";
  }
  for (const TensorSummary& tensor : Summarize(model, threads)) {
    text += Line(tensor);
  }
  return text;
}

std::string UnreadableText(const std::string& file, const Error& error) {
  const auto mapped = MappedFile::Open(file);
  if (ReadLfsPointer(file, "the file")) {
    return ReadSmallFile(file, static_cast<int64_t>(mapped->bytes().size()));
  }
  // Git passes the file under a different name each time.
  std::string why = error.what();
  const std::string name = Quoted(file);
  if (const size_t at = why.find(name); at != std::string::npos) {
    why.replace(at, name.size(), "the file");
  }
  return "not readable as a model: " + why + "\n" +
         std::to_string(mapped->bytes().size()) + " bytes, sha256 " +
         Sha256Of(mapped->bytes()) + "\n";
}

std::string DiffText(const std::string& file, const Context& context,
                     Console& console) {
  try {
    return ModelText(OpenWeights(file, context, console), context.threads);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kIo || error.code() == ErrorCode::kUsage) {
      throw;
    }
    return UnreadableText(file, error);
  }
}

}  // namespace

int PrintForDiff(const std::string& file, const Context& context) {
  Context own = context;
  own.json = false;
  own.quiet = true;
  // Other files are beside the working tree's version, not beside git's copy.
  own.external_data = false;
  Console console(own);
  console.Result(DiffText(file, own, console), Json::object());
  return 0;
}

}  // namespace rebasin::cli
