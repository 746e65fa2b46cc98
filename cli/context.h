// The options that all commands share.

#ifndef REBASIN_CLI_CONTEXT_H_
#define REBASIN_CLI_CONTEXT_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin::cli {

struct Networks;

struct Context {
  const Networks* networks = nullptr;  // null in `rebasin`, set in `rebasin-nn`
  bool json = false;
  bool quiet = false;
  bool force = false;
  bool dry_run = false;
  OpenOptions file = {};               // how models are read
  bool external_data = true;           // ONNX files may refer to other files
  std::vector<const char*> arguments;  // of the program, with its name
  std::string threads_text;
  std::string seed_text;
  std::vector<std::string> renames;  // "OLD=NEW"
  std::string names_file;
  // Parsed from the texts above, like file.renames.
  int threads = 0;
  uint64_t seed = 0;
};

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // returns the exit code
};

// One function in each file.
Command AddInspect(CLI::App& program, Context& context);
Command AddMatch(CLI::App& program, Context& context);
Command AddApply(CLI::App& program, Context& context);
Command AddConvert(CLI::App& program, Context& context);
Command AddMerge(CLI::App& program, Context& context);
Command AddMergeDriver(CLI::App& program, Context& context);
Command AddVerify(CLI::App& program, Context& context);
Command AddDiff(CLI::App& program, Context& context);
Command AddDemo(CLI::App& program, Context& context);
Command AddZoo(CLI::App& program, Context& context);

// Commands that run networks (see cli/networks.h).
Command AddTrain(CLI::App& program, Context& context);
Command AddEval(CLI::App& program, Context& context);
Command AddInterpolate(CLI::App& program, Context& context);
Command AddPlane(CLI::App& program, Context& context);
Command AddCompare(CLI::App& program, Context& context);
Command AddLab(CLI::App& program, Context& context);
inline constexpr const char* kTrainDescription = "Train a network on data";
inline constexpr const char* kEvalDescription =
    "Measure loss, accuracy and calibration of models on data";
inline constexpr const char* kInterpolateDescription =
    "Measure the loss along the line between two models";
inline constexpr const char* kPlaneDescription =
    "Measure the loss over the plane through three models";
inline constexpr const char* kCompareDescription =
    "Match two models in several ways and compare what comes of it";
inline constexpr const char* kLabDescription =
    "Run an experiment of the paper and write a report";

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_CONTEXT_H_
