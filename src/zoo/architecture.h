// An architecture: its name, how to build its graph, and how to infer its
// options from a checkpoint.

#ifndef REBASIN_ZOO_ARCHITECTURE_H_
#define REBASIN_ZOO_ARCHITECTURE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "rebasin/zoo.h"
#include "zoo/clues.h"
#include "zoo/settings.h"

namespace rebasin::zoo {

// A key of config.json, as Hugging Face's transformers write it, and the option
// that it sets.
struct ConfigKey {
  std::string key;
  std::string option;
};

struct Architecture {
  ZooEntry entry;
  // Adds inputs, weights, nodes and outputs.
  std::function<void(GraphBuilder&, const Settings&)> build;
  // Infers the options that names and shapes determine, in the order of the
  // entry.
  std::function<Findings(const Clues&)> fit;
  // Returns true for tensors that may be present without being weights: masks
  // and tables that some exporters store. May be empty.
  std::function<bool(const Tensor&)> is_buffer = {};
  // Returns the possible sets of options that names and shapes leave open
  // although the symmetries depend on them. May be empty, and may return
  // nothing.
  std::function<std::vector<Findings>(const Clues&)> choices = {};
  // Replaces derived defaults (heads=0: of the usual size) by their values. May
  // be empty.
  std::function<void(Settings&)> resolve = {};
  // Returns tensors that some files store twice, as pairs of copy and original.
  // May be empty.
  std::function<std::vector<std::pair<std::string, std::string>>(
      const Settings&)>
      stored_ties = {};
  // The keys of config.json, and the values of "model_type", of this
  // architecture.
  std::vector<ConfigKey> config_keys = {};
  std::vector<std::string> config_types = {};
};

// One function in each file.
std::vector<Architecture> MlpArchitectures();
std::vector<Architecture> VggArchitectures();
std::vector<Architecture> CifarResNetArchitectures();
std::vector<Architecture> ResNetArchitectures();
std::vector<Architecture> DenseNetArchitectures();
std::vector<Architecture> MobileNetArchitectures();
std::vector<Architecture> ConvNextArchitectures();
std::vector<Architecture> ConvMixerArchitectures();
std::vector<Architecture> VitArchitectures();
std::vector<Architecture> Gpt2Architectures();
std::vector<Architecture> LlamaArchitectures();
std::vector<Architecture> LstmArchitectures();

// All of the above.
const std::vector<Architecture>& AllArchitectures();

// Throws Error(kUsage) if there is none of this name.
const Architecture& FindArchitecture(const std::string& name);

// A parsed text such as "resnet20:width=4".
struct ModelText {
  const Architecture* architecture = nullptr;
  Findings options = {};  // those in the text, with valid values
};
// Throws Error(kUsage) for unknown names, options and values.
ModelText ParseModelText(std::string_view text);

// "resnet20:width=4"
std::string TextOf(const ZooEntry& entry, const Findings& options);

Graph BuildGraph(const Architecture& architecture, const Settings& settings);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_ARCHITECTURE_H_
