// What the arguments say about data and how networks run on it.

#ifndef REBASIN_CLI_DATA_FLAGS_H_
#define REBASIN_CLI_DATA_FLAGS_H_

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/context.h"
#include "rebasin/checkpoint.h"
#include "rebasin/data.h"
#include "rebasin/network.h"

namespace rebasin::cli {

struct OpenedData {
  DataSplits splits = {};
  std::string normalize = {};  // the text of what follows
  Normalization normalization = {};
};

struct DataFlags {
  std::string data, normalize;

  void AddTo(CLI::App& command, bool required = true);
  bool empty() const { return data.empty(); }
  // Normalised as --normalize says; else as the models were trained, if they
  // say so; else as is usual for such data. Throws Error(kMismatch) if two of
  // them contradict each other.
  OpenedData Open(Console& console,
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
  ComputeOptions Options(const Context& context) const;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_DATA_FLAGS_H_
