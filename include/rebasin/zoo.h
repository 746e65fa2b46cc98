// Built-in architectures, by name.
//
//   const rebasin::Graph graph =
//   rebasin::ZooGraph("resnet20:width=4,norm=layer"); const std::string text =
//   rebasin::RecogniseModel(weights);  // "vgg16:..."
//
// The text of an architecture is its name and the options that differ from
// their defaults. Weights have the names of the usual implementations
// (torchvision, Hugging Face, the well-known CIFAR ResNets), so that their
// checkpoints fit.

#ifndef REBASIN_ZOO_H_
#define REBASIN_ZOO_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// An option of an architecture: one of `choices`, or, if that is empty, an
// integer from `least` to `most`.
struct ZooOption {
  std::string name;
  std::string default_value;
  std::string description;
  std::vector<std::string> choices;
  int64_t least = 0, most = 0;
};

// An architecture with its options, for help texts.
struct ZooEntry {
  std::string name;
  std::string description;  // one line
  std::vector<ZooOption> options;
};

// Returns all architectures, in an order for reading.
std::vector<ZooEntry> ZooEntries();

// Returns the graph of an architecture. Throws Error(kUsage) for unknown names,
// options and values; the hint lists the known ones.
Graph ZooGraph(std::string_view text);

// The same with the weight names that `weights` uses: all may have a prefix of
// a wrapper, "module.", "_orig_mod." or "model.".
Graph ZooGraph(std::string_view text, const Checkpoint& weights);

// Returns the text with all derived defaults written out: "vit:width=128"
// becomes "vit:width=128,heads=2". Files should store this form. Throws like
// ZooGraph.
std::string ZooText(std::string_view text);

// Returns the text with all options of the architecture. Texts with the same
// meaning, such as "mlp" and "mlp:width=512", become equal.
std::string FullZooText(std::string_view text);

// A family of models on Hugging Face: the "model_type" of its config.json.
struct FamilyEntry {
  std::string name;         // "qwen2"
  std::string description;  // one line
};

// Returns all families whose config.json is understood, in an order for
// reading.
std::vector<FamilyEntry> FamilyEntries();

// A model that its config.json describes.
struct FamilyModel {
  std::string name = {};  // the "model_type"
  Graph graph = {};       // with the names and shapes of the model's tensors
  // Tensors that belong to the model but are not weights of the graph.
  std::vector<Companion> companions = {};
};

// Returns the graph that a config.json describes for a model with these
// weights; nothing if its "model_type" is none of the families. Names and
// shapes of the weights decide only which output layers there are; all that
// the symmetries depend on is read from the file. Keys that the family does not
// need are ignored. Costs time proportional to the number of layers; reads no
// data except that of a stored copy of the embedding.
//
// Throws Error(kBadInput, kLimit) if the file is malformed or lacks what the
// family needs, Error(kUnsupported) if it asks for something that is unknown,
// and Error(kMismatch) if a tensor of the graph is missing or has another
// shape.
std::optional<FamilyModel> ReadFamily(const std::filesystem::path& config,
                                      const Checkpoint& weights);

// The metadata key under which a file stores the text of its architecture.
inline constexpr const char* kModelKey = "rebasin.model";

// A model to identify.
struct ModelSource {
  std::string name = {};  // for messages; may be empty
  // Must not be null, and must outlive the call.
  const Checkpoint* weights = nullptr;
  std::filesystem::path config = {};  // its config.json; empty: none
};

// Returns the config.json in the model's folder or beside its file; empty if
// there is none.
std::filesystem::path FindModelConfig(const std::filesystem::path& model);

// Options of IdentifyModel.
struct IdentifyOptions {
  // "auto", or the text of an architecture. Options that the text leaves out
  // are inferred.
  std::string model = "auto";
  // The source of `model`, for messages.
  std::string origin = "--model";
  // Whether scales and signs are needed. They depend on activations, which
  // weights do not show, so these must then be specified.
  bool scalings = false;
};

// The result of IdentifyModel.
struct IdentifiedModel {
  // The text of the architecture, for ZooGraph.
  std::string text;
  // The sources besides names and shapes: "metadata", "config.json".
  std::vector<std::string> sources = {};
  // Tensors that belong to the model but are not weights of the graph.
  std::vector<Companion> companions = {};
};

// Identifies the architecture of models that belong together. Prefixes of
// wrappers ("module.", "_orig_mod.", "model.") are ignored. Sources, in order
// of priority: the specified text, the metadata, config.json, and the names and
// shapes of the weights. Options on which no symmetry depends, such as the
// image size, keep their defaults if no source determines them.
//
// Throws Error(kMismatch) if two sources or two models contradict each other,
// if no architecture or more than one fits, or if an option stays open on which
// the symmetries depend, such as the number of attention heads; the message
// lists the possible values.
IdentifiedModel IdentifyModel(std::span<const ModelSource> models,
                              const IdentifyOptions& options = {});

// Returns the text of IdentifyModel for one model without a config.json.
std::string RecogniseModel(const Checkpoint& model);

// An architecture whose shapes a model has under other names.
struct NameSuggestion {
  std::string model;  // "mlp:depth=2,width=32"
  // From the model's names to those of the architecture; see
  // OpenOptions::renames.
  std::vector<std::pair<std::string, std::string>> renames;
};

// Searches an architecture for a model that fits none by name. Equal shapes are
// no proof, so somebody who knows the model must check the pairs. Returns
// nothing if there is none.
std::optional<NameSuggestion> SuggestNames(const Checkpoint& model);

}  // namespace rebasin

#endif  // REBASIN_ZOO_H_
