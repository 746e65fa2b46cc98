// Running a model against its permuted self, and saying what came of it.

#ifndef REBASIN_CLI_PROOF_H_
#define REBASIN_CLI_PROOF_H_

#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/context.h"
#include "cli/structure.h"
#include "rebasin/alignment.h"
#include "rebasin/verify.h"

namespace rebasin::cli {

// Verify() for a structure that has a graph; errors name the graph.
VerifyReport RunProof(const Structure& structure, const Checkpoint& model,
                      const std::vector<Alignment>& elements,
                      const Context& context);

// If the structure has a graph and the alignment moves anything: runs both
// models, and throws Error(kMismatch) if they are not the same function, or if
// a group that moves is not proved. A graph that cannot be run here gives a
// warning. One line for the report, "" if nothing was run.
std::string ProveAlignment(const Structure& structure, const Checkpoint& model,
                           const Alignment& alignment, const Context& context,
                           Console& console);

// How the proof was made: "on inputs of [2, 3, 8, 8], ...".
std::string RunsText(const VerifyReport& report);
// "the same function", or what is wrong.
std::string VerdictText(const VerifyReport& report);
Json ProofJson(const VerifyReport& report);
std::string ProofTable(const VerifyReport& report);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PROOF_H_
