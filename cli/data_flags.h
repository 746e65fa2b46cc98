// Options for data and for running networks.

#ifndef REBASIN_CLI_DATA_FLAGS_H_
#define REBASIN_CLI_DATA_FLAGS_H_

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/context.h"
#include "rebasin/checkpoint.h"
#include "rebasin/nn/compute.h"
#include "rebasin/nn/data.h"

namespace rebasin::cli {

struct DataFlags {
  std::string data, normalize;

  void AddTo(CLI::App& command, bool required = true);
  bool empty() const { return data.empty(); }
  // Calls OpenDataFor with --normalize.
  ModelData Open(Console& console,
                 const std::vector<const Checkpoint*>& models = {}) const;
};

// Subsets of the training data.
struct SubsetFlags {
  std::string classes, fraction, split_bias;
  std::string split_seed = "0";

  void AddTo(CLI::App& command);
  Dataset Select(const Dataset& data) const;
};

struct ComputeFlags {
  std::string precision = "f32";
  std::string device = "cpu";

  void AddTo(CLI::App& command);
  ComputeOptions Options() const;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_DATA_FLAGS_H_
