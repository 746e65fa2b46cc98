// The experiments of the paper, by name.

#ifndef REBASIN_LAB_EXPERIMENT_H_
#define REBASIN_LAB_EXPERIMENT_H_

#include <span>
#include <string>

#include "lab/lab.h"
#include "report/document.h"

namespace rebasin::lab {

struct Experiment {
  const char* name;
  const char* paper;  // "Figure 2"
  const char* what;   // one line
  // Title, question, claims and blocks; facts are added by RunExperiment.
  Document (*run)(Lab& lab);
  // The networks that can be run alone (LabOptions::only), separated by spaces.
  const char* networks = "";
};

// In the order of the paper.
std::span<const Experiment> Experiments();

// Throws Error(kUsage) with the names that there are.
const Experiment& FindExperiment(const std::string& name);

// Runs an experiment, or only the networks that were asked for, and adds the
// facts of the run: `command`, seed, preset, version, machine, data, networks
// and time. Throws Error(kUsage) if a network that was asked for is none of the
// experiment's.
Document RunExperiment(const Experiment& experiment, Lab& lab,
                       const std::string& command);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_EXPERIMENT_H_
