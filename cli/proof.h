// The result of a proof as text and JSON.

#ifndef REBASIN_CLI_PROOF_H_
#define REBASIN_CLI_PROOF_H_

#include <string>

#include "cli/console.h"
#include "rebasin/discovery.h"

namespace rebasin::cli {

// One line: "verified: ...".
std::string VerifiedText(const VerifyReport& report);
// How the proof was run: "on inputs of [2, 3, 8, 8], ...".
std::string RunsText(const VerifyReport& report);
Json ProofJson(const VerifyReport& report);
std::string ProofTable(const VerifyReport& report);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PROOF_H_
