// An architecture: what it is called, how it is built, and how its options are
// read off a checkpoint.

#ifndef REBASIN_ZOO_ARCHITECTURE_H_
#define REBASIN_ZOO_ARCHITECTURE_H_

#include <functional>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "rebasin/zoo.h"
#include "zoo/clues.h"
#include "zoo/settings.h"

namespace rebasin::zoo {

struct Architecture {
  ZooEntry entry;
  // Adds inputs, weights, nodes and outputs.
  std::function<void(GraphBuilder&, const Settings&)> build;
  // The options that names and shapes show, in the order of the entry.
  std::function<Findings(const Clues&)> fit;
  // Whether a tensor that is no weight may be there all the same: a mask or
  // table that some exporters store. May be empty.
  std::function<bool(const Tensor&)> is_buffer = {};
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

Graph BuildGraph(const Architecture& architecture, const Settings& settings);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_ARCHITECTURE_H_
