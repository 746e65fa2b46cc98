// The two programs, in git's manner: `rebasin` starts in milliseconds, and
// becomes `rebasin-nn`, the same program with LibTorch in it, where networks
// must run. What only the large one has is a table of functions in the Context.

#ifndef REBASIN_CLI_NETWORKS_H_
#define REBASIN_CLI_NETWORKS_H_

#include <span>
#include <string>

#include "cli/context.h"
#include "rebasin/model.h"
#include "rebasin/nn/align.h"
#include "rebasin/nn/judge.h"
#include "rebasin/nn/repair.h"

namespace rebasin::cli {

// What a merge did, for people to read.
struct MergePage {
  std::string title = {};
  std::string text = {};  // what the command says
  const Structure* structure = nullptr;
  // Null where models were not aligned, or were many.
  const MatchReport* report = nullptr;
  const Alignment* alignment = nullptr;
};

struct Networks {
  decltype(&AlignWithData) align = nullptr;
  decltype(&DefaultsFor) defaults = nullptr;
  decltype(&StepWithData) step = nullptr;
  decltype(&Repair) repair = nullptr;
  decltype(&Judge) judge = nullptr;
  // Runs a model and its permuted self on examples, in double.
  VerifyReport (*verify)(const Model& model, const Alignment& alignment,
                         const ModelData& data, const Run& run) = nullptr;
  void (*write_page)(const MergePage& page, const std::string& path,
                     const Context& context) = nullptr;
};

// The program: parses, runs, reports errors, and returns the exit code.
// `networks` is null in the small one.
int RunProgram(std::span<const char* const> arguments,
               const Networks* networks);

// Becomes the large program, with the same arguments. Throws
// Error(kUnsupported) if there is none.
[[noreturn]] void HandOver(const Context& context);

// Call when it is clear that networks will run, before any work.
void NeedNetworks(const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_NETWORKS_H_
