// Turns what the argument parser says into a line that helps.

#ifndef REBASIN_CLI_SUGGEST_H_
#define REBASIN_CLI_SUGGEST_H_

#include <CLI/App.hpp>
#include <span>
#include <string>

#include "rebasin/error.h"

namespace rebasin::cli {

// The usage error behind a failed parse: a misspelt command or option with a
// suggestion, else what the parser said.
Error ExplainUsage(const CLI::App& program, std::span<const char* const> args,
                   const std::string& parser_says);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_SUGGEST_H_
