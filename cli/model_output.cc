#include "cli/model_output.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/output.h"
#include "formats/save_model.h"
#include "onnx/format.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

OutputFile FileOf(const ModelOutput& output) {
  return {.path = output.path,
          .write = output.write,
          .graph_from = output.onnx_template};
}

// As a shell reads it.
std::string ShellText(const std::string& word) {
  const bool plain =
      !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
      });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace

std::unique_ptr<ModelFolder> FolderFor(const fs::path& output,
                                       const std::vector<std::string>& models,
                                       const Context& context) {
  if (!IsFolderOutput(output, models[0])) return nullptr;
  const std::vector<fs::path> inputs(models.begin(), models.end());
  return std::make_unique<ModelFolder>(output, inputs[0], inputs,
                                       context.force);
}

std::string CommandText(const Context& context) {
  std::string text = "rebasin";
  for (size_t i = 1; i < context.arguments.size(); ++i) {
    text += " " + ShellText(context.arguments[i]);
  }
  return text;
}

const Format* FormatOf(const fs::path& file) {
  return &ModelFormats().Of(InputFile(file));
}

const Format* FormatFor(const fs::path& output) {
  return &ModelFormats().For(output);
}

void CheckModelOutput(const ModelOutput& output, const Checkpoint& model,
                      const Context& context) {
  // A model may replace another model, but no spec or alignment.
  if (IsTextFile(output.path)) CheckIsNoInput(output.path, context);
  CheckOutput(ModelFormats(), *output.format, FileOf(output), model);
}

void WriteModel(const ModelOutput& output, const Checkpoint& model,
                const Run& run) {
  WriteOutput(ModelFormats(), *output.format, FileOf(output), model, run);
}

}  // namespace rebasin::cli
