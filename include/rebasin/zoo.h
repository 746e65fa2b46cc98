// Built-in architectures, by name.
//
// A text such as "resnet20:width=4,norm=layer" stands for a graph: the name of
// an architecture, and options where they differ from their defaults. Weights
// are called what the usual implementations call them (torchvision, Hugging
// Face, the well-known CIFAR ResNets), so that real checkpoints fit.

#ifndef REBASIN_ZOO_H_
#define REBASIN_ZOO_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

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

// The text of the architecture whose weights are the tensors of `model`, in
// names and shapes; what wrappers leave in front of all names does not count.
// Options that shapes do not show, such as the size of
// images, are left at their defaults; numbers of attention heads, which shapes
// do not show either, follow the usual size of a head. Beyond the weights the
// model may hold integers (num_batches_tracked) and the masks and tables that
// some exporters store. Throws Error(kMismatch) if no architecture fits, or
// more than one does.
std::string RecogniseModel(const Checkpoint& model);

}  // namespace rebasin

#endif  // REBASIN_ZOO_H_
