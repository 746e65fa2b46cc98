// The commands and parts of commands that run networks.
//
// There are two programs, as git has its helpers: `rebasin` starts in
// milliseconds and knows nothing of LibTorch, and `rebasin-nn`, which is the
// same program with these functions in it. The first becomes the second, with
// the same arguments, where networks must run; handover.cc has its side of
// this file, run_networks.cc and the files of the commands the other's.

#ifndef REBASIN_CLI_NETWORKS_H_
#define REBASIN_CLI_NETWORKS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/context.h"
#include "cli/data_flags.h"
#include "cli/match_method.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/checkpoint.h"
#include "rebasin/merge.h"
#include "rebasin/verify.h"

namespace rebasin::cli {

// For main, before anything else.
void PrepareProcess();

// Call when it is clear that networks will run, before any work. Throws
// Error(kUnsupported) if there is no rebasin-nn.
void NeedNetworks(const Context& context);

// What --repair asks for.
struct RepairRequest {
  std::string method = "auto";
  int64_t calibration_examples = 0;
  std::shared_ptr<const Graph> graph = {};
  // Aligned; as many as shares.
  std::vector<Checkpoint> models = {};
  std::vector<double> shares = {};
};

struct Repaired {
  Checkpoint model = {};
  std::string text = {};  // what was tried, and what came of it
  Json json = {};
};

Repaired RepairWithData(const RepairRequest& request, const Checkpoint& merged,
                        const DataFlags& data, Console& console,
                        Progress& progress);

// The methods that need data (see cli/match_method.h).
FoundMatch MatchWithData(const MatchJob& job, const Checkpoint& a,
                         const Checkpoint& b, const Structure& structure,
                         Console& console, Progress& progress);

// Matches one model to the mean of others, by activations: MergeMany's inner
// step. The data is opened once, normalised as `first`, one of the models, was
// trained. `first`, structure, console and progress must outlive it.
ManyStep StepWithData(const MatchJob& job, const Checkpoint& first,
                      const Structure& structure, Console& console,
                      Progress& progress);

// A merge beside what it was made of.
struct JudgeRequest {
  std::shared_ptr<const Graph> graph = {};
  std::vector<Checkpoint> models = {};   // as they came
  std::vector<Checkpoint> aligned = {};  // empty: they were not aligned
  std::vector<double> shares = {};
  Checkpoint merged = {};       // as it was written
  std::string repair = "none";  // what was done to it
  int64_t examples = 0;         // of the test part
  int64_t calibration_examples = 0;
};

struct Judgement {
  std::string text = {};
  Json json = {};
};

// Measures each parent, their ensemble, their plain average, the merge and, for
// a few models that were aligned, the barrier of each pair. Says nothing if
// the data has no labels.
Judgement Judge(const JudgeRequest& request, const DataFlags& data,
                Console& console, Progress& progress);

// What a merge did, for people to read.
struct MergePage {
  std::string title = {};
  std::string text = {};  // what the command says
  const Structure* structure = nullptr;
  // Null where models were not aligned, or were many.
  const MatchReport* report = nullptr;
  const Alignment* alignment = nullptr;
};
void WriteMergePage(const MergePage& page, const std::string& path,
                    const Context& context);

// Runs the model and its permuted self on examples, in double.
VerifyReport VerifyOnData(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& model, const Alignment& alignment,
                          const OpenedData& data, const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_NETWORKS_H_
