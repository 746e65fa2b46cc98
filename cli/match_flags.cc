#include "cli/match_flags.h"

#include "cli/arguments.h"

namespace rebasin::cli {

void MatchFlags::AddTo(CLI::App& command) {
  const std::string group = "Matching";
  structure.AddTo(command, group);
  structure.AddSymmetriesTo(command, group);
  command
      .add_option("--start", start,
                  "Start of the search: anchored (default), annealed (slower, "
                  "for deep or noisy models), best (both), identity")
      ->group(group)
      ->type_name("WORD");
  command
      .add_option("--order", order,
                  "Order of the groups: evidence (default) or random")
      ->group(group)
      ->type_name("WORD");
  command
      .add_option("--dtype", dtype,
                  "Convert the models to F64, F32, F16 or BF16 first; needed "
                  "for models of different types")
      ->group(group)
      ->type_name("TYPE");
  command
      .add_option("--restarts", restarts,
                  "Additional starts; the best result is kept")
      ->group(group)
      ->type_name("N");
  command
      .add_option("--max-passes", max_passes,
                  "Largest number of passes; default 100")
      ->group(group)
      ->type_name("N");
  command
      .add_option("--memory", memory,
                  "Bound for the memory beyond mapped model files, such as "
                  "2GB; costs of groups that do not fit are computed again "
                  "when they are needed")
      ->group(group)
      ->type_name("SIZE");
  command
      .add_flag("--greedy", greedy)  // old name of --method greedy
      ->group("");
  command
      .add_flag("--balance", balance,
                "Normalise the scales of ReLU units before matching")
      ->group(group);
}

MatchOptions MatchFlags::Options() const {
  MatchOptions options;
  options.start =
      ParseChoice<MatchStart>("--start", start,
                              {{"anchored", MatchStart::kAnchored},
                               {"annealed", MatchStart::kAnnealed},
                               {"best", MatchStart::kBest},
                               {"identity", MatchStart::kIdentity}});
  options.random_order = ParseChoice<bool>(
      "--order", order, {{"evidence", false}, {"random", true}});
  options.restarts =
      static_cast<int>(ParseInteger("--restarts", restarts, 0, 1'000'000));
  options.max_passes =
      static_cast<int>(ParseInteger("--max-passes", max_passes, 1, 1'000'000));
  if (!memory.empty()) options.memory = ParseBytes("--memory", memory);
  options.greedy = greedy;
  options.balance = balance;
  return options;
}

}  // namespace rebasin::cli
