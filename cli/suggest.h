// Explains errors of the argument parser.

#ifndef REBASIN_CLI_SUGGEST_H_
#define REBASIN_CLI_SUGGEST_H_

#include <CLI/App.hpp>
#include <span>
#include <string>

#include "rebasin/error.h"

namespace rebasin::cli {

// Returns the error for a failed parse: a misspelt command or option with a
// suggestion, otherwise the parser's message.
Error ExplainUsage(const CLI::App& program, std::span<const char* const> args,
                   const std::string& parser_says);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_SUGGEST_H_
