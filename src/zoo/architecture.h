// An architecture: what it is called, how it is built, and how its options are
// read off a checkpoint.

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
// that it decides.
struct ConfigKey {
  std::string key;
  std::string option;
};

struct Architecture {
  ZooEntry entry;
  // Adds inputs, weights, nodes and outputs.
  std::function<void(GraphBuilder&, const Settings&)> build;
  // The options that names and shapes show, in the order of the entry.
  std::function<Findings(const Clues&)> fit;
  // Whether a tensor that is no weight may be there all the same: a mask or
  // table that some exporters store. May be empty.
  std::function<bool(const Tensor&)> is_buffer = {};
  // What names and shapes leave open although the symmetries depend on it: one
  // of these sets of options holds. May be empty, and may return nothing.
  std::function<std::vector<Findings>(const Clues&)> choices = {};
  // Gives options that are derived from others where they have their default
  // (heads=0: of the usual size) the number they stand for. May be empty.
  std::function<void(Settings&)> resolve = {};
  // Tensors that some files store a second time: the copy and the original.
  // May be empty.
  std::function<std::vector<std::pair<std::string, std::string>>(
      const Settings&)>
      stored_ties = {};
  // What config.json decides, and the values of "model_type" that are this
  // architecture.
  std::vector<ConfigKey> config_keys = {};
  std::vector<std::string> config_types = {};
};

// One function a file.
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

// A text such as "resnet20:width=4", taken apart.
struct ModelText {
  const Architecture* architecture = nullptr;
  Findings options = {};  // those that the text names, each a possible value
};
// Throws Error(kUsage) for names, options and values that there are not.
ModelText ParseModelText(std::string_view text);

// "resnet20:width=4"
std::string TextOf(const ZooEntry& entry, const Findings& options);

Graph BuildGraph(const Architecture& architecture, const Settings& settings);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_ARCHITECTURE_H_
