// The options of `rebasin merge`, and their parsed form.

#ifndef REBASIN_CLI_MERGE_REQUEST_H_
#define REBASIN_CLI_MERGE_REQUEST_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/data_flags.h"
#include "cli/match_flags.h"
#include "cli/match_method.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"

namespace rebasin::cli {

struct MergeFlags {
  std::vector<std::string> models;
  std::string base;  // the common ancestor; empty: unknown
  std::string output, save_align, shard_size, report;
  std::string lambda, weights;
  std::string interpolation = "linear", align;
  std::string method;     // old name of --interpolation
  std::string three_way;  // empty: auto
  std::string many;
  std::string repair, calibrate = "2000";
  bool allow_nonfinite = false;
  bool no_verify = false;
  MatchFlags match;
  DataMatchFlags with_data;
  DataFlags data;
  std::string judge = "10000";

  // For the merge driver: the output replaces an existing model in the same
  // format, and has another name in messages.
  bool in_place = false;
  std::string output_name;
  // Called when the output is complete, before the result is printed.
  std::function<void()> written;

  // Adds the models, the output, and all other options.
  void AddFilesTo(CLI::App& command);
  void AddTo(CLI::App& command);

 private:
  void AddMergingOptions(CLI::App& command);
  void AddAligningOptions(CLI::App& command);
  void AddRepairOptions(CLI::App& command);
};

// The parsed options.
struct MergeRequest {
  MergeMethod interpolation = MergeMethod::kLinear;
  std::string interpolation_name;  // as given
  // Whether two models are also matched jointly.
  bool jointly = false;
  // How models are matched jointly.
  ManyMethod many = ManyMethod::kMergeMany;
  // How models with a base are merged.
  ThreeWay three_way = ThreeWay::kAuto;
  bool align = true;
  MatchJob job;  // how to align
  std::vector<double> weights;
  WriteOptions write;
  MatchOptions match;
  // "none", "bias", or, with data, "auto", "bn", "repair" or "rescale".
  std::string repair = "none";
  int64_t calibration_examples = 0;
  int64_t judging_examples = 0;  // 0: the result is not evaluated
  bool page = false;             // charts need rebasin-nn

  bool UsesMany(size_t models) const { return models > 2 || jointly; }
  bool repairs() const { return repair != "none"; }
  bool repairs_with_data() const { return repairs() && repair != "bias"; }
  bool judges() const { return judging_examples > 0 && !job.data.empty(); }
  // True if networks must be run.
  bool needs_networks() const;
};

// Runs the merge and returns the exit code.
int RunMerge(const MergeFlags& flags, const Context& context);

// Throws Error(kUsage).
MergeRequest ParseMergeRequest(const MergeFlags& flags, const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MERGE_REQUEST_H_
