// Built-in architectures, by name.
//
// A text such as "resnet20:width=4,norm=layer" stands for a graph: the name of
// an architecture, and options where they differ from their defaults. Weights
// are called what the usual implementations call them (torchvision, Hugging
// Face, the well-known CIFAR ResNets), so that real checkpoints fit.

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

// A number within bounds, or, if there are choices, one of them.
struct ZooOption {
  std::string name;
  std::string default_value;
  std::string description;
  std::vector<std::string> choices;
  int64_t least = 0, most = 0;
};

struct ZooEntry {
  std::string name;
  std::string description;  // one line
  std::vector<ZooOption> options;
};

// In the order in which they are best read.
std::vector<ZooEntry> ZooEntries();

// Throws Error(kUsage) for names, options and values that there are not; the
// hint says which there are.
Graph ZooGraph(std::string_view text);

// The same with its weights called as in `weights`, where all names may start
// with what wrappers of a model leave: "module.", "_orig_mod." or "model.".
Graph ZooGraph(std::string_view text, const Checkpoint& weights);

// The same text with the numbers that defaults are derived from others written
// out: "vit:width=128" becomes "vit:width=128,heads=2". What a file should say
// of itself.
std::string ZooText(std::string_view text);

// The same text with all options of the architecture: equal for texts that mean
// the same, such as "mlp" and "mlp:width=512".
std::string FullZooText(std::string_view text);

// Under this key of its metadata a file says which architecture it is.
inline constexpr const char* kModelKey = "rebasin.model";

// A model, and where it comes from.
struct ModelSource {
  std::string name = {};  // for messages; may be empty
  const Checkpoint* weights = nullptr;
  std::filesystem::path config = {};  // its config.json; empty: it has none
};

// The config.json in the model's folder, or beside its file. Empty: there is
// none.
std::filesystem::path FindModelConfig(const std::filesystem::path& model);

struct IdentifyOptions {
  // "auto", or the text of an architecture; options that the text does not
  // name are found out.
  std::string model = "auto";
  // Where `model` comes from, for messages.
  std::string origin = "--model";
  // Whether more than permutations is looked for. Which scales and signs there
  // are depends on activations, and weights do not show those.
  bool scalings = false;
};

struct IdentifiedModel {
  std::string text;
  // What decided more than names and shapes did: "metadata", "config.json".
  std::vector<std::string> sources = {};
  // Tensors beyond the graph's weights that belong to the model all the same.
  std::vector<Companion> companions = {};
};

// The architecture of models that belong together; what wrappers leave in front
// of all names ("module.", "_orig_mod.", "model.") does not count. What decides
// is, in this order: the text that is asked for, what the models' metadata
// says, what their config.json says, and the names and shapes of the weights.
// Options that none of them decides keep their defaults if no symmetry depends
// on them, such as the size of images.
//
// Throws Error(kMismatch) if two of these contradict each other, or two models
// do; if no architecture fits, or more than one does; and, with a list of what
// is possible, if something stays open that the symmetries depend on, such as
// the number of attention heads.
IdentifiedModel IdentifyModel(std::span<const ModelSource> models,
                              const IdentifyOptions& options = {});

// The text of IdentifyModel for one model without a config.json.
std::string RecogniseModel(const Checkpoint& model);

// An architecture whose shapes a model has under other names.
struct NameSuggestion {
  std::string model;  // "mlp:depth=2,width=32"
  // From the model's names to those of the architecture, as in
  // OpenOptions::renames.
  std::vector<std::pair<std::string, std::string>> renames;
};

// Looks for such an architecture, for a model that none fits by name. Shapes do
// not prove that the model is one: somebody who knows it must look at the
// pairs. Nothing if there is none.
std::optional<NameSuggestion> SuggestNames(const Checkpoint& model);

}  // namespace rebasin

#endif  // REBASIN_ZOO_H_
