// All experiments in one report: a page for each, and an index of the claims.

#ifndef REBASIN_LAB_ALL_H_
#define REBASIN_LAB_ALL_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/experiment.h"

namespace rebasin::lab {

// What became of an experiment.
struct Outcome {
  const Experiment* experiment = nullptr;
  std::vector<Claim> claims = {};
  std::string problem = {};  // why it was not run; empty if it was
};

// Runs the experiments for which there is data, each into the folder of its
// name in `options.folder`. A finished report of the same command and version
// is kept and its claims are read, unless `again`. `command` returns the
// command line that runs an experiment alone. Throws Error(kStopped).
// `experiments` must outlive the outcomes.
std::vector<Outcome> RunAll(
    std::span<const Experiment> experiments, const LabOptions& options,
    const std::function<std::string(const Experiment&)>& command, bool again);

// The index: each claim with its verdict, what was found, and a link.
Document IndexOf(const std::vector<Outcome>& outcomes,
                 const std::string& command);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_ALL_H_
