#include "cli/match_method.h"

#include <algorithm>
#include <optional>

#include "cli/arguments.h"
#include "cli/networks.h"
#include "rebasin/error.h"
#include "rebasin/match_scaled.h"

namespace rebasin::cli {
namespace {

MatchResult Described(Alignment alignment, const std::string& start,
                      const Checkpoint& a, const Checkpoint& b, int threads) {
  MatchReport report = DescribeAlignment(a, b, alignment, threads);
  report.start = start;
  report.converged = true;
  return {std::move(alignment), std::move(report)};
}

// The paper's Algorithm 1 as it stands there.
MatchOptions Paper(MatchOptions options, int max_passes) {
  options.start = MatchStart::kIdentity;
  options.random_order = true;
  options.max_passes = max_passes;
  return options;
}

MatchResult MatchWithoutData(const MatchJob& job, const Checkpoint& a,
                             const Checkpoint& b,
                             const std::shared_ptr<const Symmetry>& symmetry) {
  MatchOptions options = job.options;
  if (job.method == "identity") {
    return Described(Alignment(symmetry), "identity", a, b, options.threads);
  }
  if (job.method == "random") {
    return Described(Alignment::Random(symmetry, options.seed), "random", a, b,
                     options.threads);
  }
  if (job.method == "greedy") options.greedy = true;
  if (job.method == "paper") options = Paper(options, options.max_passes);
  if (job.method == "paper-once") options = Paper(options, 1);
  MatchResult found = symmetry->scalings().empty()
                          ? MatchWeights(a, b, symmetry, options)
                          : MatchWeightsScaled(a, b, symmetry, options);
  // One pass is what was asked for.
  if (job.method == "paper-once") found.report.converged = true;
  return found;
}

bool GoesByWeights(const std::string& method) {
  return !FindMatchMethod("--method", method).needs_data &&
         method != "identity" && method != "random";
}

// By a method that knows of permutations only: scales and signs go around it.
FoundMatch RunScaled(const MatchJob& job, const Checkpoint& a,
                     const Checkpoint& b, const Structure& structure,
                     Console& console, Progress& progress) {
  std::optional<FoundMatch> found;
  MatchResult match = MatchScaled(
      a, b, structure.symmetry,
      [&](const Checkpoint& x, const Checkpoint& y,
          const std::shared_ptr<const Symmetry>& symmetry) {
        Structure plain = structure;
        plain.symmetry = symmetry;
        found = RunMatchJob(job, x, y, plain, console, progress);
        return found->match;
      },
      job.options.threads);
  found->match = std::move(match);
  return *std::move(found);
}

}  // namespace

const std::vector<MatchMethod>& MatchMethods() {
  static const std::vector<MatchMethod> methods = {
      {"weights", "weights as close as possible (default)"},
      {"activations", "units that do the same on data", true},
      {"best", "weights, activations or both: the lowest loss half-way", true},
      {"ste", "lowest loss half-way, by gradients (straight-through)", true,
       true},
      {"identity", "as they are"},
      {"random", "any permutation"},
      {"greedy", "one forward pass by incoming weights alone"},
      {"paper", "Algorithm 1 of the paper, unimproved"},
      {"paper-once", "the same, one pass only"},
      {"steepest", "steepest descent of A's loss (an idea that failed)", true,
       true},
      {"annealing", "simulated annealing of the loss half-way", true, true},
  };
  return methods;
}

bool IsMatchMethod(const std::string& name) {
  const auto& methods = MatchMethods();
  return std::any_of(methods.begin(), methods.end(),
                     [&](const MatchMethod& m) { return m.name == name; });
}

const MatchMethod& FindMatchMethod(const std::string& option,
                                   const std::string& name,
                                   const std::vector<std::string>& more) {
  std::vector<std::string> names = more;
  for (const MatchMethod& method : MatchMethods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  FailChoice(option, name, names);
}

std::string MatchMethodsText() {
  std::string text;
  for (const MatchMethod& method : MatchMethods()) {
    text += "  " + method.name + std::string(13 - method.name.size(), ' ') +
            method.what + (method.needs_data ? "; needs --data" : "") + "\n";
  }
  return text;
}

void CheckMatchJob(const std::string& option, const MatchJob& job) {
  const MatchMethod& method = FindMatchMethod(option, job.method);
  if (method.needs_data && job.data.empty()) {
    throw Error(ErrorCode::kUsage, option + " " + job.method + " needs --data");
  }
}

FoundMatch RunMatchJob(const MatchJob& job, const Checkpoint& a,
                       const Checkpoint& b, const Structure& structure,
                       Console& console, Progress& progress) {
  const bool scaled = !structure.symmetry->scalings().empty();
  if (scaled && !GoesByWeights(job.method)) {
    return RunScaled(job, a, b, structure, console, progress);
  }
  if (!FindMatchMethod("--method", job.method).needs_data) {
    return {.match = MatchWithoutData(job, a, b, structure.symmetry)};
  }
  if (structure.graph == nullptr) {
    throw Error(ErrorCode::kUsage, job.method + " matching needs a graph",
                "give --model NAME (or auto), or an .onnx file");
  }
  return MatchWithData(job, a, b, structure, console, progress);
}

}  // namespace rebasin::cli
