// Options of the commands that evaluate lines between two models.

#ifndef REBASIN_CLI_LINE_FLAGS_H_
#define REBASIN_CLI_LINE_FLAGS_H_

#include <CLI/App.hpp>
#include <string>

#include "cli/data_flags.h"
#include "cli/data_match_flags.h"
#include "cli/match_flags.h"
#include "cli/match_method.h"
#include "cli/measure_line.h"
#include "cli/structure.h"

namespace rebasin::cli {

struct LineFlags {
  std::string a = {}, b = {};
  std::string points = {}, samples = {}, part = "both", batch = "0";
  std::string calibrate = "2000";
  std::string plot = {}, report = {};
  MatchFlags match = {};
  DataMatchFlags with_data = {};
  DataFlags data = {};
  ComputeFlags compute = {};

  // The values of `points` and `samples` at the call are the defaults.
  void AddTo(CLI::App& command);
};

// Two models, and everything needed to match them and to evaluate points
// between them.
struct OpenedLine {
  Model a = {}, b = {};
  std::string normalize = {};
  MatchOptions match = {};
  LineSetup setup = {};
};

// Throws before anything is opened if an output cannot be written.
OpenedLine OpenLine(const LineFlags& flags, const Context& context,
                    Console& console);

MatchJob JobFor(const LineFlags& flags, const OpenedLine& line,
                const std::string& method);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_LINE_FLAGS_H_
