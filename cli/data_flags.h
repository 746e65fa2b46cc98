// What the arguments say about data and how networks run on it.

#ifndef REBASIN_CLI_DATA_FLAGS_H_
#define REBASIN_CLI_DATA_FLAGS_H_

#include <CLI/App.hpp>
#include <string>

#include "cli/console.h"
#include "cli/context.h"
#include "rebasin/checkpoint.h"
#include "rebasin/data.h"
#include "rebasin/network.h"

namespace rebasin::cli {

// What trained models say of themselves in their metadata.
inline constexpr const char* kModelKey = "rebasin.model";
inline constexpr const char* kNormalizeKey = "rebasin.normalize";

struct OpenedData {
  DataSplits splits = {};
  std::string normalize = {};  // the text of what follows
  Normalization normalization = {};
};

struct DataFlags {
  std::string data, normalize;

  void AddTo(CLI::App& command, bool required = true);
  bool empty() const { return data.empty(); }
  // Normalised as --normalize says; else as the model was trained, if it says
  // so; else as is usual for such data.
  OpenedData Open(Console& console, const Checkpoint* model = nullptr) const;
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
