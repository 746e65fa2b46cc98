// The two programs, as in git: `rebasin` starts in milliseconds, and executes
// `rebasin-nn`, the same program with LibTorch, if networks must run. The
// functions of `rebasin-nn` are in a table in the Context.

#ifndef REBASIN_CLI_NETWORKS_H_
#define REBASIN_CLI_NETWORKS_H_

#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "rebasin/model.h"
#include "rebasin/nn/align.h"
#include "rebasin/nn/judge.h"
#include "rebasin/nn/repair.h"

namespace rebasin::cli {

// The content of the report page of a merge.
struct MergePage {
  std::string title = {};
  std::vector<std::string> models = {};  // their names
  std::string text = {};                 // the output of the command
  const Structure* structure = nullptr;
  // Null if models were not aligned, or if there were more than two.
  const MatchReport* report = nullptr;
  const Alignment* alignment = nullptr;
  // Null if the result was not repaired with data, or not evaluated.
  const RepairResult* repaired = nullptr;
  const Judgement* judgement = nullptr;
  std::string judged_on = {};  // "100 examples of MNIST test"
};

struct Networks {
  decltype(&AlignWithData) align = nullptr;
  decltype(&DefaultsFor) defaults = nullptr;
  decltype(&ActivationStep) step = nullptr;
  decltype(&Repair) repair = nullptr;
  decltype(&Judge) judge = nullptr;
  // Runs a model and its permuted copy on examples, in double.
  VerifyReport (*verify)(const Model& model, const Alignment& alignment,
                         const ModelData& data, const Run& run) = nullptr;
  void (*write_page)(const MergePage& page, const std::string& path,
                     const Context& context) = nullptr;
};

// The program: parses, runs, reports errors, and returns the exit code.
// `networks` is null in `rebasin`.
int RunProgram(std::span<const char* const> arguments,
               const Networks* networks);

// Executes `rebasin-nn` with the same arguments. Throws Error(kUnsupported) if
// it is not installed.
[[noreturn]] void ExecWithNetworks(const Context& context);

// Call this before any work if networks will run.
void RequireNetworks(const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_NETWORKS_H_
