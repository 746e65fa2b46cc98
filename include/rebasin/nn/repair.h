// Repairs a merged network by a named method, or by the method that is best on
// held-out data.
//
//   const rebasin::MergedModel merged{graph, {a, moved_b}, {0.5, 0.5}, mean};
//   const rebasin::RepairResult repaired = rebasin::Repair(
//       merged, {.calibration = data.Calibration(10000),
//                .normalization = data.normalization});
//   rebasin::SaveModel(repaired.model, "merged.safetensors");
//
// The table of methods, RepairMethods(), is in rebasin/repair.h.

#ifndef REBASIN_NN_REPAIR_H_
#define REBASIN_NN_REPAIR_H_

#include <memory>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/nn/evaluate.h"
#include "rebasin/nn/knowledge.h"
#include "rebasin/repair.h"

namespace rebasin {

// A merged network and its parents.
struct MergedModel {
  std::shared_ptr<const Graph> graph = {};
  std::vector<Checkpoint> models = {};  // the parents, aligned to each other
  std::vector<double> shares = {};  // their weights in the merge, summing to 1
  // The result of the merge, before repair.
  Checkpoint merged = {};
};

// Options of Repair.
struct RepairOptions {
  // A name from RepairMethods(), "none", or "auto". "auto" tries "none" and
  // every method that applies to the network, and compares them on `held_out`.
  // If there are no such examples, 20 % of the calibration examples are held
  // out, and the best method is run again on all of them.
  //
  // Candidates are compared by their loss at each one's best temperature,
  // because merged networks are overconfident: the plain loss would prefer a
  // network that is wrong with less confidence. A candidate that is mostly one
  // parent (MergeVerdict::kMostlyOne) is not taken, whatever its loss, unless
  // all candidates are.
  std::string method = "auto";
  // Examples to repair with. Use training data, not test data.
  Dataset calibration = {};
  // For "auto": examples with labels that are not among those of `calibration`.
  // The more there are, the better they tell a merge from a copy, since
  // networks rarely differ on training data. If there are fewer than 20, "auto"
  // needs at least 20 calibration examples with labels.
  Dataset held_out = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  ComputeOptions compute = {};
};

// One candidate of "auto", evaluated on the held-out examples.
struct TriedRepair {
  std::string method;
  Evaluation evaluation;
  KeptKnowledge kept = {};  // of the parents, if there are two or more
};

// The result of Repair.
struct RepairResult {
  Checkpoint model = {};                // the repaired network
  std::string kept = {};                // the method that made it
  std::vector<TriedRepair> tried = {};  // only for "auto"; "none" first
  int64_t held_out_examples = 0;        // number of held-out examples
  int64_t examples = 0;                 // number of examples the repair used
};

// Returns the repaired network; `merged` stays as it is. Held-out examples are
// drawn from every class, by Run::seed. Costs a few passes over the calibration
// data for one method, five times as much for "auto", and an Evaluate for each
// candidate.
//
// Throws Error(kUsage) if the method does not exist, Error(kMismatch) if "auto"
// has no labels or fewer than 20 examples, and what the method throws.
RepairResult Repair(const MergedModel& merged,
                    const RepairOptions& options = {}, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_REPAIR_H_
