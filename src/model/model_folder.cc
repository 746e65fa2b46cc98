#include "model/model_folder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "formats/formats.h"
#include "io/atomic_file.h"
#include "io/file.h"
#include "io/sha256.h"
#include "rebasin/error.h"
#include "rebasin/version.h"
#include "rebasin/zoo.h"
#include "zoo/families/config.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

constexpr char kConfig[] = "config.json";
constexpr char kWeights[] = "model.safetensors";
// The name in folders of diffusers.
constexpr char kDiffusion[] = "diffusion_pytorch_model";

// What belongs to a model besides its weights. Everything else in a folder
// (other formats, states of training, code) stays behind.
constexpr std::array<std::string_view, 22> kCopied = {
    kConfig,
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "source.spm",
    "target.spm",
    "bpe.codes",
    "normalizer.json",
    "chat_template.json",
    "chat_template.jinja",
    "preprocessor_config.json",
    "processor_config.json",
    "LICENSE",
    "NOTICE"};

// The largest tokenizers have some ten megabytes.
constexpr int64_t kMostBytes = 500'000'000;
// Hashing takes some seconds for so much, and minutes for large models.
constexpr int64_t kMostHashed = 1'000'000'000;

fs::path FolderOf(const fs::path& model) {
  std::error_code ignored;
  return fs::is_directory(model, ignored) ? model : model.parent_path();
}

bool IsWeightsFile(const fs::path& path) {
  return CheckpointFormats().IsModelEnding(path.extension().native());
}

// "models--org--name" of a cache is "org/name".
std::string NameInCache(const fs::path& folder) {
  for (const fs::path& part : folder) {
    const std::string& text = part.native();
    constexpr std::string_view kStart = "models--";
    if (!text.starts_with(kStart)) continue;
    const std::string name = text.substr(kStart.size());
    const size_t border = name.find("--");
    if (border == std::string::npos) return name;
    return name.substr(0, border) + "/" + name.substr(border + 2);
  }
  return "";
}

// "org/name", and no path of a machine.
bool IsHubName(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' ||
           c == '-' || c == '_' || c == '.';
  });
  return plain && std::count(text.begin(), text.end(), '/') == 1 &&
         !text.starts_with("/") && !text.starts_with(".") &&
         !text.ends_with("/");
}

std::string NameInConfig(const fs::path& folder) {
  const fs::path config = FindModelConfig(folder);
  if (config.empty()) return "";
  try {
    const std::string name =
        zoo::FamilyConfig::Read(config).Word({"_name_or_path"}, "");
    return IsHubName(name) ? name : "";
  } catch (const Error&) {
    return "";
  }
}

// A hash of the names and bytes of all tensors, whatever files hold them.
std::string DigestOf(const Checkpoint& weights) {
  if (weights.bytes() > kMostHashed) return "not computed (large)";
  Sha256 hash;
  for (const Tensor& tensor : weights.tensors()) {
    const std::string head = tensor.name + " " + ShapeText(tensor.shape) + "\n";
    hash.Add(std::as_bytes(std::span(head)));
    hash.Add(tensor.bytes);
  }
  return hash.Finish();
}

// A YAML string that needs no escapes: names are printable.
std::string YamlText(const std::string& text) { return Quoted(text); }

std::string FrontMatter(const ModelCard& card, const std::string& library) {
  std::string text = "---\nbase_model:\n";
  std::vector<std::string> names;
  for (const ModelCard::Source& source : card.sources) {
    const std::string name = HubName(source.path);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    text += "- " + YamlText(name) + "\n";
  }
  return text + "library_name: " + library +
         "\ntags:\n- merge\n- rebasin\n---\n";
}

std::string SourcesTable(const ModelCard& card) {
  std::string text =
      "| model | tensors | bytes | SHA-256 of the tensors |\n"
      "|---|---|---|---|\n";
  for (const ModelCard::Source& source : card.sources) {
    text += "| " + Printable(HubName(source.path)) + " | " +
            std::to_string(source.weights->tensors().size()) + " | " +
            std::to_string(source.weights->bytes()) + " | " +
            DigestOf(*source.weights) + " |\n";
  }
  return text;
}

// Each line as part of a block of code.
std::string Indented(const std::string& text) {
  std::string indented;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    indented += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return indented;
}

std::string CardText(const std::string& name, const ModelCard& card,
                     const std::string& library) {
  return FrontMatter(card, library) + "\n# " + Printable(name) +
         "\n\nMade by rebasin " REBASIN_VERSION ":\n\n" +
         Indented(card.command) + "\nof these models:\n\n" +
         SourcesTable(card) +
         (card.findings.empty() ? "" : "\n" + Indented(card.findings)) +
         "\nSettings and tokenizer are those of the first model.\n";
}

bool HoldsDiffusion(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator files(folder, error);
  return !error && std::any_of(begin(files), end(files), [](const auto& file) {
    return file.path().filename().native().starts_with(kDiffusion);
  });
}

bool IsFolderOf(const fs::path& target, const fs::path& input) {
  std::error_code ignored;
  return fs::equivalent(target, FolderOf(input), ignored);
}

}  // namespace

bool IsFolderOutput(const fs::path& output, const fs::path& model) {
  if (output.empty()) return false;
  if (!output.has_filename()) return true;  // "out/"
  std::error_code ignored;
  return fs::is_directory(model, ignored) && !IsWeightsFile(output) &&
         output.extension() != ".json" && output.extension() != ".onnx" &&
         !fs::is_character_file(output, ignored);
}

ModelFolder::ModelFolder(const fs::path& target, const fs::path& like,
                         const std::vector<fs::path>& inputs, bool force)
    : like_(FolderOf(like)), folder_(target, force, kConfig) {
  for (const fs::path& input : inputs) {
    if (!IsFolderOf(folder_.target(), input)) continue;
    throw Error(
        ErrorCode::kUsage,
        "the output " + Quoted(target.native()) + " is the folder of an input",
        "choose another name for the output");
  }
}

fs::path ModelFolder::weights() const {
  const std::string name = HoldsDiffusion(like_)
                               ? std::string(kDiffusion) + ".safetensors"
                               : kWeights;
  return folder_.path() / name;
}

void ModelFolder::Publish(const ModelCard& card) {
  for (const std::string_view name : kCopied) {
    const fs::path from = like_ / name;
    if (!IsRegularFile(from)) continue;
    WriteWholeFile(folder_.path() / name, ReadSmallFile(from, kMostBytes),
                   /*force=*/false);
  }
  WriteWholeFile(folder_.path() / "README.md",
                 CardText(target().filename().native(), card,
                          HoldsDiffusion(like_) ? "diffusers" : "transformers"),
                 /*force=*/false);
  folder_.Publish();
}

std::string HubName(const fs::path& model) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(model, ignored);
  const fs::path path =
      absolute.has_filename() ? absolute : absolute.parent_path();
  const std::string cached = NameInCache(path);
  if (!cached.empty()) return cached;
  const std::string named = NameInConfig(FolderOf(path));
  return named.empty() ? path.filename().native() : named;
}

}  // namespace rebasin
