// Options of matching with data.

#ifndef REBASIN_CLI_DATA_MATCH_FLAGS_H_
#define REBASIN_CLI_DATA_MATCH_FLAGS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "rebasin/nn/align.h"

namespace rebasin::cli {

struct DataMatchFlags {
  std::string samples = "10000";
  // Activation matching.
  std::string cost = "correlation", mix;
  // Straight-through matching; empty: the default for the network.
  std::string start, optimizer, rate, momentum, batch, epochs, every;
  std::string held_out, patience, lambda, learn, projection, latent, schedule;
  // Simulated annealing.
  std::string budget = "60", moves;

  void AddTo(CLI::App& command);

  // Throw Error(kUsage). Options that were not given are those of `usual`.
  DataAlignOptions Options(const StraightThroughDefaults& usual) const;
  int64_t Samples() const;
  // The alignment file with which straight-through matching starts; empty:
  // none.
  std::string StartFile() const;

 private:
  void AddDataOptions(CLI::App& command);
  void AddStraightThroughOptions(CLI::App& command);
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_DATA_MATCH_FLAGS_H_
